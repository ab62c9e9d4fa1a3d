package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationTextTest {
    private final DurationText text = new DurationText();

    @ParameterizedTest
    @CsvSource({"500ms,PT0.5S", "10s,PT10S", "2m,PT2M", "1h,PT1H", "0,PT0S", "0s,PT0S"})
    void convert_withUnit_isThatLong(String written, Duration meant) {
        assertThat(text.convert(written)).isEqualTo(meant);
    }

    @Test
    void convert_withoutUnit_saysHowToWriteIt() {
        assertThatThrownBy(() -> text.convert("10"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'10' has no unit: write 10s, 10ms, 10m or 10h");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1.5s", "10 s", "1d", "10S", "9999999999s"})
    void convert_ofAnythingElse_isRefused(String written) {
        assertThatThrownBy(() -> text.convert(written))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + written + "' is no duration: write it like 10s");
    }

    @ParameterizedTest
    @CsvSource({"PT10S,10s", "PT0.5S,500ms", "PT2M,120s"})
    void of_isShort(Duration duration, String written) {
        assertThat(DurationText.of(duration)).isEqualTo(written);
    }
}
