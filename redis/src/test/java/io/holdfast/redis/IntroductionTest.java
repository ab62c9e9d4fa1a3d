package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Origin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntroductionTest {

    @Test
    void whatIsWritten_isRead() {
        assertThat(Introduction.read("hf1 4711 web-3 order service"))
                .hasValue(new Origin("web-3", 4711, "order service"));
        assertThat(Introduction.read("hf1 0 h 订单")).hasValue(new Origin("h", 0, "订单"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "hf1",
                "hf2 1 host app",
                "hf1 x host app",
                "hf1 -1 host app",
                "hf1 99999999999999999999 host app",
                "hf1 1 host",
                "hf1 1 host ",
                "hf1 1  app",
                "hf1 1 host a\nb",
                "hf1 1 host a\u0000",
                "hf1 1 ho\u0007st app",
                "hf1 1 host \u2028",
            })
    void anythingElse_isNobody(String text) {
        assertThat(Introduction.read(text)).isEmpty();
    }

    @Test
    void tooLong_isNobody() {
        String longest = "x".repeat(100);
        assertThat(Introduction.read("hf1 1 " + longest + " " + longest)).isPresent();
        assertThat(Introduction.read("hf1 1 " + longest + "x app")).isEmpty();
        assertThat(Introduction.read("hf1 1 host " + longest + "x")).isEmpty();
        assertThat(Introduction.read("hf1 1 host " + "x".repeat(10_000_000))).isEmpty();
    }
}
