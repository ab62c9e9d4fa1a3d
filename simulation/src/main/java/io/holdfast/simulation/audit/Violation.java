package io.holdfast.simulation.audit;

/** A promise was broken. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String invariant;

    public Violation(String invariant, String what) {
        super(invariant + ": " + what, null, false, false);
        this.invariant = invariant;
    }

    /** The promise: I1 to I8, L1 to L5, H1. */
    public String invariant() {
        return invariant;
    }
}
