package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    private static final String BRACES = "may contain braces only as one non-empty {tag}";
    private static final String LONG = "must not be longer than 512 bytes of UTF-8";
    private static final String CONTROL = "must not contain control characters";

    static Stream<String> goodNames() {
        return Stream.of(
                "a",
                "order:12345",
                "a b",
                "a~b",
                "{tag}",
                "order:{42}:items",
                "a/b\\c*?[x]^",
                "Käse",
                "锁",
                "🔒",
                "a".repeat(512),
                "é".repeat(256),
                "🔒".repeat(128));
    }

    @ParameterizedTest
    @MethodSource("goodNames")
    void goodName_isReturnedAsItIs(String name) {
        assertThat(Names.check(name)).isSameAs(name);
    }

    static Stream<Arguments> badNames() {
        return Stream.of(
                Arguments.of("", "must not be empty"),
                Arguments.of("~fence", "must not start with '~', which marks the library's own keys"),
                Arguments.of("~", "must not start with '~'"),
                Arguments.of("a\nb", CONTROL + "; there is one at position 1"),
                Arguments.of("\0", CONTROL + "; there is one at position 0"),
                Arguments.of("tab\t", CONTROL),
                Arguments.of("del\u007f", CONTROL),
                Arguments.of("c1\u0085", CONTROL),
                Arguments.of("a".repeat(513), LONG),
                Arguments.of("é".repeat(257), LONG),
                Arguments.of("é".repeat(512), LONG),
                Arguments.of("🔒".repeat(129), LONG),
                Arguments.of("a".repeat(1 << 20), LONG),
                Arguments.of("half \ud83d", "must be valid Unicode; it contains half of a surrogate pair"),
                Arguments.of("\udd12 half", "must be valid Unicode"),
                Arguments.of("{", BRACES),
                Arguments.of("}", BRACES),
                Arguments.of("a{b", BRACES),
                Arguments.of("a}b", BRACES),
                Arguments.of("{}", BRACES),
                Arguments.of("a{}b", BRACES),
                Arguments.of("}{", BRACES),
                Arguments.of("a}{b}", BRACES),
                Arguments.of("{a}}", BRACES),
                Arguments.of("{{a}", BRACES),
                Arguments.of("{a}{b}", BRACES));
    }

    @ParameterizedTest
    @MethodSource("badNames")
    void badName_isRefusedWithTheRule(String name, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.check(name))
                .withMessageStartingWith("lock name '")
                .withMessageContaining(rule);
    }

    @Test
    void refusal_showsTheValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.check("~fence"))
                .withMessageStartingWith("lock name '~fence' ");
    }

    @Test
    void refusal_ofALongName_isShort() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.check("~" + "x".repeat(59)))
                .withMessageStartingWith("lock name '~" + "x".repeat(59) + "' ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.check("x".repeat(1 << 20)))
                .withMessage("lock name '" + "x".repeat(60)
                        + "… (1048576 characters)' must not be longer than 512 bytes of UTF-8");
    }

    @Test
    void refusal_isPrintableWhateverTheNameHolds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.check("a\u001b[31m\r\n"))
                .withMessageStartingWith("lock name 'a?[31m??' ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.check("a\ud83db"))
                .withMessageStartingWith("lock name 'a?b' ");
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        assertThatNullPointerException().isThrownBy(() -> Names.check(null)).withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> Names.checkPrefix(null))
                .withMessage("keyPrefix");
    }

    @ParameterizedTest
    @ValueSource(strings = {"distributed_lock:", "a", "app:locks/", "锁:"})
    void goodPrefix_isReturnedAsItIs(String prefix) {
        assertThat(Names.checkPrefix(prefix)).isSameAs(prefix);
    }

    static Stream<Arguments> badPrefixes() {
        return Stream.of(
                Arguments.of("", "must not be empty"),
                Arguments.of("a{b}:", "must not contain braces"),
                Arguments.of("a{", "must not contain braces"),
                Arguments.of("{", "must not contain braces"),
                Arguments.of("}", "must not contain braces"),
                Arguments.of("~", "must not contain '~'"),
                Arguments.of("app~1:", "must not contain '~'"),
                Arguments.of("a\n", CONTROL),
                Arguments.of("a".repeat(513), LONG),
                Arguments.of("\ud83d", "must be valid Unicode"));
    }

    @ParameterizedTest
    @MethodSource("badPrefixes")
    void badPrefix_isRefusedWithTheRule(String prefix, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.checkPrefix(prefix))
                .withMessageStartingWith("key prefix '")
                .withMessageContaining(rule);
    }
}
