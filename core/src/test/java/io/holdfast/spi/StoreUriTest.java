package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUriTest {

    @ParameterizedTest
    @CsvSource({
        "memory:, memory, ''",
        "memory:shop, memory, shop",
        "redis://localhost:6379, redis, //localhost:6379",
        "REDISS://localhost, rediss, //localhost",
        "redis-sentinel://h1/mymaster, redis-sentinel, //h1/mymaster",
        "jdbc:postgresql://h/db, jdbc, postgresql://h/db",
    })
    void uri_isSplitAtTheFirstColon(String text, String scheme, String rest) {
        StoreUri uri = new StoreUri(text);

        assertThat(uri.scheme()).isEqualTo(scheme);
        assertThat(uri.rest()).isEqualTo(rest);
        assertThat(uri.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "//localhost", ":6379", "1redis://h", " redis://h", "/redis:x"})
    void textWithoutScheme_isRefusedWithAnExample(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoreUri(text))
                .withMessage("store URI '" + text + "' has no scheme: write it like redis://localhost:6379 or memory:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://localhost:6379",
                "redis://[::1]:6379/3",
                "memory:",
                "memory:shop",
                "redis-cluster://h1:1,h2:2,h3:3",
                "jdbc:postgresql://h:5432/db",
            })
    void uriWithoutLogin_isShownAsItIs(String text) {
        assertThat(new StoreUri(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource({
        "redis://user:sesame@host:6379/1, redis://user:***@host:6379/1",
        "redis://:sesame@host, redis://:***@host",
        "redis-sentinel://h/m?sentinelPassword=sesame, redis-sentinel://h/m?sentinelPassword=***",
        "redis-sentinel://u:sesame@h/m?PASSWORD=ses&ame=1, redis-sentinel://u:***@h/m?PASSWORD=***",
        "redis://user:ses:ame@host, redis://user:***@host",
        "redis://:ses:ame@host, redis://:***@host",
        "redis://user:ses@ame@host, redis://user:***@host",
        "redis://:ses@ame@host, redis://:***@host",
        "redis://user:ses/ame@host, redis://user:***@host",
        "redis://user:s:e/s@a:m/e@host, redis://user:***@host",
        "redis://user:ses%40ame@host, redis://user:***@host",
        "redis://user:ses%zzame@host, redis://user:***@host",
        "redis://user:ses#ame@host, redis://user:***@host",
        "redis://user:ses?ame@host, redis://user:***@host",
        "redis://user:ses ame@host, redis://user:***@host",
        "redis://user:@host, redis://user:***@host",
        // Who writes no colon may have meant the password.
        "redis://sesame@host, redis://***@host",
        // Who forgets the scheme has the user in its place.
        "user:sesame@host:6379, user:***@host:6379",
        "user:ses:ame@host:6379, user:***@host:6379",
        "'redlock://:sesame@h1,h2,h3', 'redlock://:***@h1,h2,h3'",
        "'redlock://:sesame@h1,:sesame@h2', redlock://:***@h2",
        "user:ses://ame@host, user:***@host",
        "redis://user:ses://ame@host, redis://user:***@host",
        "redis:@host, redis:***@host",
        "jdbc:oracle:thin:scott/sesame@//h:1521/x, jdbc:***@//h:1521/x",
    })
    void password_isHiddenWhateverItHolds(String text, String shown) {
        assertThat(new StoreUri(text)).hasToString(shown);
    }

    @Test
    void password_isHiddenAlsoWhereTheSchemeIsMissing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoreUri("//user:sesame@host"))
                .withMessageStartingWith("store URI '//user:***@host' has no scheme");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoreUri("12345:sesame@host"))
                .withMessageStartingWith("store URI '12345:***@host' has no scheme");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoreUri(":sesame@host"))
                .withMessageStartingWith("store URI ':***@host' has no scheme");
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        assertThatNullPointerException().isThrownBy(() -> new StoreUri(null)).withMessage("uri");
    }
}
