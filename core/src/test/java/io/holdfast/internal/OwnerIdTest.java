package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerIdTest {

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 35, 36, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 35, -36, -2, -1})
    void draw_isWrittenWithoutASign(long draw) {
        assertThat(new OwnerId("c", 7, draw).text()).isEqualTo("c:7:" + Long.toUnsignedString(draw, 36));
    }

    @Test
    void anyDraw_isWrittenAsTheJdkWouldWriteIt() {
        for (int i = 0; i < 10_000; i++) {
            long draw = ThreadLocalRandom.current().nextLong();
            assertThat(OwnerId.unsigned(draw)).isEqualTo(Long.toUnsignedString(draw, 36));
        }
    }
}
