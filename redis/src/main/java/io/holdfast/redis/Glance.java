package io.holdfast.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether a reply has come, for a moment, before its reader goes to sleep. To wake takes a thread longer than a server
 * nearby takes to answer: some 30 us on a processor that sleeps too, which are most of a round trip of 50.
 *
 * <p>It pays only if the reply comes within that moment. If that has not been so for a few times in a row, the next times are left
 * out, twice as many as before each time: for a server that is further away, or slow, it looks at one reply of 256.
 *
 * <p>Not thread safe: the leader's on a wire.
 */
final class Glance {
    /** So long it looks. */
    static final long MOMENT_NANOS = 50_000;

    /** So often in one moment, should time stand still. */
    private static final int MOST_LOOKS = 1_000;

    /** So often in a row it may be for nothing before that counts: a server may have slept. */
    private static final int BAD_LUCK = 3;

    private static final int MOST_IN_VAIN = BAD_LUCK + 8;

    private static final boolean OTHERS_RUN = Runtime.getRuntime().availableProcessors() > 1;

    private final InputStream in;
    private final LongSupplier nanos;
    private int inVain;
    private int leftOut;

    Glance(InputStream in, LongSupplier nanos) {
        this.in = in;
        this.nanos = nanos;
    }

    /** At what comes over this; null if that cannot be told before it is read, or the server could not answer meanwhile. */
    static @Nullable Glance at(Closeable opened, LongSupplier nanos) {
        try {
            return OTHERS_RUN && opened instanceof Socket socket && !(socket instanceof SSLSocket)
                    ? new Glance(socket.getInputStream(), nanos)
                    : null;
        } catch (IOException e) {
            // Whoever uses it finds out.
            return null;
        }
    }

    /** Returns when something has come, or the moment is over, or this time is left out. */
    void await() {
        if (leftOut < leavesOut()) {
            leftOut++;
            return;
        }
        leftOut = 0;
        long start = nanos.getAsLong();
        for (int i = 0; i < MOST_LOOKS && nanos.getAsLong() - start < MOMENT_NANOS; i++) {
            if (isThere()) {
                inVain = 0;
                return;
            }
            Thread.onSpinWait();
        }
        inVain = Math.min(inVain + 1, MOST_IN_VAIN);
    }

    private int leavesOut() {
        return (1 << Math.max(0, inVain - BAD_LUCK)) - 1;
    }

    private boolean isThere() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            // Whoever reads finds out.
            return true;
        }
    }
}
