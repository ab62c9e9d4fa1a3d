package io.holdfast.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcFencingGateTest {
    private final JdbcFencingGate gate = JdbcFencingGate.create();

    /** Fails whatever it is asked: what is refused must be refused before. */
    private static Connection untouched() {
        return (Connection) Proxy.newProxyInstance(
                JdbcFencingGateTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> {
                    throw new AssertionError("the connection was asked for " + method.getName());
                });
    }

    /** Spring's scripts, for one, take a file without any ';' for one statement a line. */
    @ParameterizedTest
    @ValueSource(strings = {"fence-h2.sql", "fence-mysql.sql", "fence-postgresql.sql"})
    void definitions_areOneStatement_andEndAsToolsWantThem(String file) throws IOException {
        try (InputStream in = requireNonNull(JdbcFencingGate.class.getResourceAsStream(file))) {
            String text = new String(in.readAllBytes(), UTF_8).strip();
            assertThat(text).endsWith(";");
            assertThat(text).containsOnlyOnce(";");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast_fence", "shop.fence", "_f", "F1"})
    void tableName_ofLettersDigitsAndUnderscores_isTaken(String table) {
        assertThatCode(() -> JdbcFencingGate.create(table)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1f",
                "a b",
                "a;DROP TABLE x",
                "a--",
                "a.b.c",
                ".a",
                "a.",
                "\"a\"",
                "`a`",
                "a'",
                "ä",
                "a\n",
                "a\u0000",
                "aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaa"
            })
    void tableName_thatIsMoreThanAName_isRefused(String table) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcFencingGate.create(table))
                .withMessageStartingWith("table '" + table + "' is not a name such as holdfast_fence");
    }

    @Test
    void negativeToken_isRefusedWithTheValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.admit(untouched(), "invoice", -1))
                .withMessage("token -1 is negative (resource 'invoice')");
    }

    @Test
    void resource_isOneTo512BytesOfUtf8() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.admit(untouched(), "", 1))
                .withMessage("resource of 0 bytes: 1 to 512 bytes of UTF-8 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.admit(untouched(), "ä".repeat(257), 1))
                .withMessage("resource of 514 bytes: 1 to 512 bytes of UTF-8 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.admit(untouched(), "a\u0000b", 1))
                .withMessageEndingWith("has a control character or half a surrogate pair");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.admit(untouched(), "a\ud800", 1))
                .withMessageEndingWith("has a control character or half a surrogate pair");
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> JdbcFencingGate.create(null))
                .withMessage("table");
        assertThatNullPointerException()
                .isThrownBy(() -> gate.admit(null, "a", 1))
                .withMessage("connection");
        assertThatNullPointerException()
                .isThrownBy(() -> gate.admit(untouched(), null, 1))
                .withMessage("resource");
        assertThatNullPointerException().isThrownBy(() -> gate.on(null)).withMessage("source");
    }
}
