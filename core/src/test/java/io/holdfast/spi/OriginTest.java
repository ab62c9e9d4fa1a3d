package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "a\u0000", "\ud800", "a\u2028b"})
    void textThatIsNotPrintable_isRefused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Origin("host", 1, name));
        assertThatIllegalArgumentException().isThrownBy(() -> new Origin(name, 1, "app"));
    }

    @Test
    void tooLong_orWithSpacesInTheHost_orWithoutAProcess_isRefused() {
        String longest = "x".repeat(Origin.LONGEST);
        assertThat(new Origin(longest, 0, longest).application()).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Origin("host", 1, longest + "x"))
                .withMessage("application must have 1 to 100 characters, and has 101");
        assertThatIllegalArgumentException().isThrownBy(() -> new Origin("my host", 1, "app"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Origin(" host", 1, "app"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Origin("host", -1, "app"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", " shop ", "a\u2028b", "\ud800", "订单服务"})
    void anything_canBeMadePrintable(String text) {
        assertThat(new Origin("host", 1, Origin.printable(text)).application()).isNotBlank();
    }

    @Test
    void printable_cutsNoCharacterInHalf() {
        String cut = Origin.printable("x".repeat(99) + "\ud83d\ude00");

        assertThat(cut).isEqualTo("x".repeat(99));
        assertThat(Origin.printable("x".repeat(101))).isEqualTo("x".repeat(100));
    }

    @Test
    void party_knowsClientAndThreadFromItsOwnerId() {
        LockInfo.Party ours = LockInfo.Party.of("3w5e11264sgsf:42:abc1");
        assertThat(ours.client()).hasValue("3w5e11264sgsf");
        assertThat(ours.thread()).hasValue(42);

        for (String theirs : new String[] {"some-uuid", "a:b:c", "a:99999999999999999999:c", "a:1:c:d", ""}) {
            assertThat(LockInfo.Party.of(theirs).client()).isEqualTo(Optional.empty());
            assertThat(LockInfo.Party.of(theirs).thread()).isEqualTo(OptionalLong.empty());
        }
    }
}
