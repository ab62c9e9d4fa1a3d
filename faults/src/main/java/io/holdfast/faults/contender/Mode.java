package io.holdfast.faults.contender;

/** Who may be in at the same time; or what is done to a latch, which nobody holds. */
public enum Mode {
    /** Nobody else. */
    ALONE,
    /** Other readers. */
    READING,
    /** Others, as long as there are permits. */
    PERMITS,
    /** Says how often a latch is to be counted down. */
    SETTING,
    /** Counts a latch down. */
    COUNTING,
    /** Waits until a latch is open. */
    AWAITING
}
