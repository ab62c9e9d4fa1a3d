package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedlockUriTest {

    private static RedlockSettings parse(String text) {
        return RedlockUri.parse(new StoreUri(text));
    }

    @Test
    void everythingThatCanBeSaid_isUnderstood() {
        RedlockSettings settings = parse("redlocks://me:p%2Css@h1:7000,h2,[::1]:7002/3?maxLease=90s&nodeTimeout=20ms");

        assertThat(settings.maxLease()).isEqualTo(Duration.ofSeconds(90));
        assertThat(settings.nodeTimeout()).isEqualTo(Duration.ofMillis(20));
        assertThat(settings.servers())
                .extracting(RedisUri::address)
                .containsExactly("rediss://h1:7000/3", "rediss://h2:6379/3", "rediss://[::1]:7002/3");
        assertThat(settings.servers()).allSatisfy(server -> {
            assertThat(server.user()).isEqualTo("me");
            assertThat(server.password()).isEqualTo("p,ss");
        });
        assertThat(settings.address()).isEqualTo("redlocks://h1:7000/3,h2:6379/3,[::1]:7002/3");
    }

    @Test
    void whatIsNotSaid_hasADefault() {
        RedlockSettings settings = parse("redlock://a,b,c");

        assertThat(settings.maxLease()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.nodeTimeout()).isEqualTo(Duration.ofMillis(50));
        assertThat(settings.servers()).noneMatch(RedisUri::tls);
    }

    @Test
    void limits_areTakenAsTheyAre() {
        RedlockSettings least = parse("redlock://a,b,c?maxLease=100ms&nodeTimeout=5ms");
        RedlockSettings most = parse("redlock://a,b,c?maxLease=24h&nodeTimeout=500ms");

        assertThat(least.maxLease()).isEqualTo(Duration.ofMillis(100));
        assertThat(least.nodeTimeout()).isEqualTo(Duration.ofMillis(5));
        assertThat(most.maxLease()).isEqualTo(Duration.ofHours(24));
        assertThat(most.nodeTimeout()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void pace_isTheTimeoutOfAServer_butNotMoreThanTheDefault() {
        assertThat(parse("redlock://a,b,c?nodeTimeout=20ms").pace()).isEqualTo(Duration.ofMillis(20));
        assertThat(parse("redlock://a,b,c?nodeTimeout=500ms").pace()).isEqualTo(Duration.ofMillis(50));
    }

    @ParameterizedTest
    @Faults(59)
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            commentCharacter = '%',
            value = {
                "redlock://a,b                          | at least 3 servers",
                "redlock://u:p@a,b                      | at least 3 servers",
                "redlock://a,b,a                        | named twice",
                "redlock://a,b,a:6379                   | named twice",
                "redlock://a,,c                         | where it says ''",
                "redlock://a,b:x,c                      | where it says 'b:x'",
                "redlock:a,b,c                          | is malformed",
                "redlock://a,b,c#x                      | is malformed",
                "redlock://a,b,c?maxlease=60s           | 'maxlease' where maxLease",
                "redlock://a,b,c?=60s                   | has '' where maxLease",
                "redlock://a,b,c?maxLease=99ms          | maxLease 99 ms is not between 100 ms and 24 h",
                "redlock://a,b,c?maxLease=60            | maxLease=60, which is no time",
                "redlock://a,b,c?maxLease=25h           | maxLease 90000000 ms is not between 100 ms and 24 h",
                "redlock://a,b,c?nodeTimeout=4ms        | nodeTimeout 4 ms is not between 5 ms and 500 ms",
                "redlock://a,b,c?nodeTimeout=501ms      | nodeTimeout 501 ms is not between 5 ms and 500 ms",
                "redlock://a,b,c?nodeTimeout=1s         | nodeTimeout 1000 ms is not between 5 ms and 500 ms",
            })
    void whatMakesNoSense_isRefusedWithItsRule(String uri, String rule) {
        assertThatThrownBy(() -> parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("store URI 'redlock:", rule);
    }

    @ParameterizedTest
    @CsvSource({
        "redlock://me:secret@a,b",
        "redlock://me:secret@a,b:x,c",
        "redlock://me:sec/ret@a,b,c",
        "redlock://me:sec?ret@a,b,c"
    })
    void password_isInNoMessage(String uri) {
        assertThatThrownBy(() -> parse(uri))
                .satisfies(e -> assertThat(e.getMessage())
                        .doesNotContain("secret")
                        .doesNotContain("sec/ret")
                        .doesNotContain("sec?ret"));
    }
}
