package io.holdfast.faults.contender;

/** Who may be in at the same time. */
public enum Mode {
    /** Nobody else. */
    ALONE,
    /** Other readers. */
    READING,
    /** Others, as long as there are permits. */
    PERMITS
}
