package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * What the server's clock shows, judged from its last answer. The server read its clock after we sent the request, so
 * counting from the send time never puts it too early, and a request that arrives in time is not refused.
 */
final class ServerClock {
    private record Reading(long serverMicros, long sentNanos) {}

    private volatile @Nullable Reading last;

    boolean isKnown() {
        return last != null;
    }

    void read(long serverMicros, long sentNanos) {
        last = new Reading(serverMicros, sentNanos);
    }

    /** The server's time at {@code nanos} of ours. */
    long at(long nanos) {
        Reading reading = last;
        if (reading == null) {
            throw new IllegalStateException("the server's clock was never read");
        }
        return reading.serverMicros() + (nanos - reading.sentNanos()) / 1_000;
    }
}
