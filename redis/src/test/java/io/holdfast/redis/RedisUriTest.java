package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUriTest {

    private static RedisUri parse(String uri) {
        return RedisUri.parse(new StoreUri(uri));
    }

    static Stream<Arguments> goodUris() {
        return Stream.of(
                Arguments.of("redis://h", new RedisUri(false, "h", 6379, null, null, 0)),
                Arguments.of("redis://h/", new RedisUri(false, "h", 6379, null, null, 0)),
                Arguments.of("redis://h:1", new RedisUri(false, "h", 1, null, null, 0)),
                Arguments.of("redis://h:65535/15", new RedisUri(false, "h", 65535, null, null, 15)),
                Arguments.of("rediss://h:6380", new RedisUri(true, "h", 6380, null, null, 0)),
                Arguments.of("REDIS://h", new RedisUri(false, "h", 6379, null, null, 0)),
                Arguments.of("RedisS://h", new RedisUri(true, "h", 6379, null, null, 0)),
                Arguments.of("redis://:sesame@h", new RedisUri(false, "h", 6379, null, "sesame", 0)),
                Arguments.of("redis://u:sesame@h:7/3", new RedisUri(false, "h", 7, "u", "sesame", 3)),
                Arguments.of("redis://u:a%40b%3Ac%2Fd%25@h", new RedisUri(false, "h", 6379, "u", "a@b:c/d%", 0)),
                Arguments.of("redis://u:a:b@h", new RedisUri(false, "h", 6379, "u", "a:b", 0)),
                Arguments.of("redis://u%3Av:p@h", new RedisUri(false, "h", 6379, "u:v", "p", 0)),
                Arguments.of("redis://u:a+b@h", new RedisUri(false, "h", 6379, "u", "a+b", 0)),
                Arguments.of("redis://127.0.0.1:6379", new RedisUri(false, "127.0.0.1", 6379, null, null, 0)),
                Arguments.of("redis://[::1]:6379/1", new RedisUri(false, "::1", 6379, null, null, 1)),
                Arguments.of("redis://:p@[fe80::1]", new RedisUri(false, "fe80::1", 6379, null, "p", 0)));
    }

    @ParameterizedTest
    @MethodSource("goodUris")
    void goodUri_isUnderstood(String text, RedisUri expected) {
        assertThat(parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "redis://u:sesame@h:7/3, redis://h:7/3",
        "rediss://:sesame@h, rediss://h:6379",
        "redis://:sesame@[::1], redis://[::1]:6379",
    })
    void address_hasNoLogin(String text, String address) {
        assertThat(parse(text).address()).isEqualTo(address);
        assertThat(parse(text)).hasToString(address);
    }

    static Stream<Arguments> badUris() {
        return Stream.of(
                Arguments.of("redis:", "is malformed at position"),
                Arguments.of("redis://", "is malformed at position"),
                Arguments.of("redis://h h", "is malformed at position"),
                Arguments.of("redis://[::1", "is malformed"),
                Arguments.of("redis://:a%zz@h", "is malformed at position"),
                Arguments.of("redis:h", "names no host"),
                Arguments.of("redis:///0", "names no host"),
                Arguments.of("redis://:6379", "names no host"),
                Arguments.of("redis://h:port", "names no host"),
                Arguments.of("redis://h:-1", "names no host"),
                Arguments.of("redis://h1,h2", "names no host"),
                Arguments.of("redis://my_redis:6379", "names no host, or one with an underscore"),
                Arguments.of("redis://h:0", "has port 0, which is not between 1 and 65535"),
                Arguments.of("redis://h:65536", "has port 65536, which is not between 1 and 65535"),
                Arguments.of("redis://h/one", "has 'one' where the number of a database belongs"),
                Arguments.of("redis://h/-1", "has '-1' where the number of a database belongs"),
                Arguments.of("redis://h/1/2", "has '1/2' where the number of a database belongs"),
                Arguments.of("redis://h/999999", "has '999999' where the number of a database belongs"),
                Arguments.of("redis://h?db=1", "has a query or a fragment, which mean nothing here"),
                Arguments.of("redis://h#1", "has a query or a fragment, which mean nothing here"),
                Arguments.of("redis://user@h", "has a user and no password; write user:password@ or :password@"));
    }

    @ParameterizedTest
    @MethodSource("badUris")
    @Faults(59)
    void badUri_isRefusedWithTheRuleAndAnExample(String text, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(text))
                .withMessageStartingWith("store URI 'redis:")
                .withMessageContaining(rule)
                .withMessageEndingWith("; it should look like redis://user:password@host:6379/0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://u:ses@ame@h:x",
                "redis://u:ses@ame@h",
                "redis://u:ses:ame@h:99999",
                "redis://u:ses/ame@h",
                "redis://u:ses%ame@h",
                "redis://u:ses ame@h",
                "redis://u:ses#ame@h",
                "redis://u:ses?ame@h",
                "redis://:ses:a:me@h/x",
                "redis://ses:ame:sesame@h/x",
                "redis://sesame@h",
                "redis-nonsense://:sesame@h",
                "sesame:ame@h",
                "//u:sesame@h",
            })
    @Faults(59)
    void badUri_neverShowsThePassword(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(text))
                .satisfies(e -> {
                    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                        assertThat(cause.toString()).doesNotContain("ame@").doesNotContain("ses@");
                        assertThat(cause.toString()).doesNotContain("ses%").doesNotContain(":ses:a");
                    }
                    assertThat(e).hasMessageContaining("***@h");
                });
    }

    @Test
    @Faults(59)
    void unknownScheme_isRefusedWithTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("redi://h"))
                .withMessageContaining("no store for 'redi://h'")
                .withMessageContaining("[memory, redis, redis-cluster, redis-sentinel, rediss, rediss-cluster,"
                        + " rediss-sentinel, redlock, redlocks]");
    }

    @Test
    void tlsOfTheJvm_checksTheNameOfTheHost() {
        assertThat(Tls.ofTheJvm().getEndpointIdentificationAlgorithm()).isEqualTo("HTTPS");
    }

    @Test
    void client_namesItsAddressWithoutLogin() {
        try (Holdfast locks = Holdfast.connect("redis://u:sesame@127.0.0.1:1/2")) {
            assertThat(locks.store()).isEqualTo("redis://127.0.0.1:1/2");
            assertThat(locks).hasToString("Holdfast[redis://127.0.0.1:1/2]");
            assertThat(locks.lock("a")).hasToString("DistributedLock['a' in redis://127.0.0.1:1/2]");
        }
    }

    /** What stands behind a slash that somebody left in a password was taken for a database or a port, and shown. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://user:12/s3same@host",
                "redis://user:99999/s3same@host:6379",
                "redis://u:p@host/s3same@host",
                "rediss://ss://u:a%40s3same@10.0.0.7",
            })
    void slashInAPassword_isRefusedWithoutShowingIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContaining("in a password write %2F")
                .withMessageNotContaining("s3same")
                .withMessageNotContaining("99999");
    }
}
