package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShareTest {

    @Test
    void kinds_areToldApart() {
        Share permits = Share.permits(2, 5);

        assertThat(Share.WHOLE.isWhole()).isTrue();
        assertThat(Share.READ.isWhole()).isFalse();
        assertThat(permits.isWhole()).isFalse();
        assertThat(Share.READ.isRead()).isTrue();
        assertThat(Share.WHOLE.isRead()).isFalse();
        assertThat(permits.isRead()).isFalse();
        assertThat(permits).isEqualTo(new Share(Share.Kind.PERMITS, 2, 5));
    }
}
