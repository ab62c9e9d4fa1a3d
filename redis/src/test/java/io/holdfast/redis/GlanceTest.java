package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;

class GlanceTest {
    private final Source source = new Source();
    private long now;
    private long step = 1_000;
    private final Glance glance = new Glance(source, () -> now += step);

    @Test
    void whatIsThere_isSeenAtOnce() {
        source.here = 1;
        glance.await();
        assertThat(source.looks).isOne();
    }

    @Test
    void whatComesMeanwhile_endsTheLook() {
        source.comesAtLook = 10;
        glance.await();
        assertThat(source.looks).isEqualTo(10);
        assertThat(now).isLessThan(Glance.MOMENT_NANOS);
    }

    @Test
    void whatDoesNotCome_isGivenUpAfterTheMoment() {
        glance.await();
        assertThat(now).isBetween(Glance.MOMENT_NANOS, Glance.MOMENT_NANOS + 2 * step);
    }

    @Test
    void timeThatStandsStill_doesNotMakeItLookForEver() {
        step = 0;
        glance.await();
        assertThat(source.looks).isPositive();
    }

    /** A server that is far away is not looked for each time. */
    @Test
    void looksInVain_areLeftOutForTwiceAsLongEachTime() {
        int[] between = new int[14];
        for (int i = 0; i < between.length; i++) {
            between[i] = untilNextLook();
        }
        assertThat(between).containsExactly(0, 0, 0, 0, 1, 3, 7, 15, 31, 63, 127, 255, 255, 255);
    }

    @Test
    void lookThatWasOfUse_isFollowedByAnother() {
        for (int i = 0; i < 6; i++) {
            untilNextLook();
        }
        source.here = 1;
        untilNextLook();
        assertThat(untilNextLook()).isZero();
    }

    @Test
    void connectionThatBreaks_isLeftToWhoeverReads() {
        source.broken = true;
        glance.await();
        assertThat(now).isLessThan(Glance.MOMENT_NANOS);
    }

    /** Of what comes over TLS nothing can be seen before it is read. */
    @Test
    void whatCannotBeLookedAt_isNot() throws IOException {
        try (Socket tls = SSLSocketFactory.getDefault().createSocket();
                Socket unconnected = new Socket()) {
            assertThat(Glance.at(tls, () -> now)).isNull();
            assertThat(Glance.at(unconnected, () -> now)).isNull();
            assertThat(Glance.at(() -> {}, () -> now)).isNull();
        }
    }

    /** How many times are left out before it looks again. */
    private int untilNextLook() {
        int before = source.looks;
        int leftOut = -1;
        while (source.looks == before) {
            glance.await();
            leftOut++;
        }
        return leftOut;
    }

    private static final class Source extends InputStream {
        private int looks;
        private int here;
        private int comesAtLook = -1;
        private boolean broken;

        @Override
        public int available() throws IOException {
            looks++;
            if (broken) {
                throw new IOException("planted");
            }
            return looks == comesAtLook ? 1 : here;
        }

        @Override
        public int read() {
            throw new AssertionError("was only to look");
        }

        @Override
        public int read(byte[] into, int from, int length) {
            return read();
        }
    }
}
