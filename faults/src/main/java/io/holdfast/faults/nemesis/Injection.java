package io.holdfast.faults.nemesis;

/**
 * A fault that was injected.
 *
 * @param target whom it befell
 * @param start by {@code System.nanoTime}, before it began
 * @param end when it was over; of a kill, when it happened
 * @param recoverFrom from when on one could hope for the next grant: the end, but of a failover its beginning
 */
public record Injection(FaultKind kind, String target, long start, long end, long recoverFrom) {
    public Injection(FaultKind kind, String target, long start, long end) {
        this(kind, target, start, end, end);
    }
}
