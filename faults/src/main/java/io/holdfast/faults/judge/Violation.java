package io.holdfast.faults.judge;

import io.holdfast.faults.contender.Workload;

/**
 * A promise that was broken.
 *
 * @param inside whether the timing model promises it; what is outside is counted and no violation
 * @param time when, by {@code System.nanoTime}
 */
public record Violation(Kind kind, Workload workload, boolean inside, long time, String text) {

    /** The promises. */
    public enum Kind {
        /** Two held what only one may hold, or more permits were out than there are. */
        OVERLAP("overlap of holders"),
        /** A former holder wrote after a later one. */
        STALE_WRITE("write of a former holder accepted"),
        /** A later holder's token was not higher. */
        TOKEN("token not higher"),
        /** The history checker found no order in which a lock can have done what was seen. */
        HISTORY("history that no lock can have"),
        /** The loss was told late, or not at all. */
        LOSS_LATE("loss told late or never"),
        /** A wait lasted longer than it may. */
        WAIT_LATE("wait that ended late"),
        /** A wait never ended. */
        WAITER_LOST("waiter lost"),
        /** A wait for a latch ended as if it were open, and it had not been counted down as often as that. */
        WOKEN_EARLY("woken before the latch was open"),
        /** A latch was open, and one who waited did not learn of it, or much too late. */
        WAKE_UP_LOST("wake-up of a latch lost"),
        /** Nobody led for much longer than the lease of a leader that was killed. */
        LEADER_LATE("new leader late"),
        /** Nobody held it, somebody wanted it, and nobody got it. */
        STUCK("lock stuck"),
        /** When all was over, it could not be had. */
        NOT_FREE("not free at the end"),
        /** When all was over, not all permits could be had. */
        PERMITS_LOST("permits lost"),
        /** When all was over, keys were left. */
        KEYS_LEFT("keys left behind");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
