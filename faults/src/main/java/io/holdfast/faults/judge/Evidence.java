package io.holdfast.faults.judge;

import io.holdfast.faults.nemesis.Injection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All that is known of a run. Filled by the controller, on one thread. */
public final class Evidence {
    private final Duration lease;
    private final boolean signalsLoss;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Injection> injections = new ArrayList<>();
    private final Map<String, Long> killed = new HashMap<>();
    private final Map<String, List<Span>> pauses = new HashMap<>();
    private final Map<String, List<String>> writes = new TreeMap<>();
    private final List<Violation> seen = new ArrayList<>();
    private long end = Attempt.NEVER;

    public Evidence(Duration lease, boolean signalsLoss) {
        this.lease = lease;
        this.signalsLoss = signalsLoss;
    }

    /** A time in which a process stood still. */
    public record Span(long from, long to) {}

    public Duration lease() {
        return lease;
    }

    public boolean signalsLoss() {
        return signalsLoss;
    }

    public List<Attempt> attempts() {
        return attempts;
    }

    public List<Injection> injections() {
        return injections;
    }

    /** Those that were there at some moment of that time. */
    Stream<Injection> injectionsIn(long from, long to) {
        return injections.stream().filter(each -> each.start() <= to && each.end() >= from);
    }

    /** For how much of that time faults were there, whomever they befell; they come one after the other. */
    long faults(long from, long to) {
        return injectionsIn(from, to)
                .mapToLong(each -> Math.min(to, each.end()) - Math.max(from, each.start()))
                .sum();
    }

    /** The process was killed, not before that time. */
    public void killed(String worker, long time) {
        killed.put(worker, time);
    }

    public long killed(String worker) {
        return killed.getOrDefault(worker, Attempt.NEVER);
    }

    public void paused(String worker, long from, long to) {
        pauses.computeIfAbsent(worker, any -> new ArrayList<>()).add(new Span(from, to));
    }

    /** For how much of that time the process stood still. What was noticed twice counts once. */
    long standstill(String worker, long from, long to) {
        long sum = 0;
        long counted = from;
        List<Span> sorted = pauses.getOrDefault(worker, List.of()).stream()
                .sorted(Comparator.comparingLong(Span::from))
                .toList();
        for (Span pause : sorted) {
            long begin = Math.max(counted, pause.from());
            long over = Math.min(to, pause.to());
            if (over > begin) {
                sum += over - begin;
                counted = over;
            }
        }
        return sum;
    }

    /** In which order holders wrote to what a lock protects. */
    public void writes(String lock, List<String> holders) {
        writes.put(lock, List.copyOf(holders));
    }

    Map<String, List<String>> writes() {
        return writes;
    }

    /** What the controller itself has seen. */
    public void saw(Violation violation) {
        seen.add(violation);
    }

    List<Violation> seen() {
        return seen;
    }

    /** When every process that lived had been told to stop, and had had the time for it. */
    public void endsAt(long time) {
        end = time;
    }

    long end() {
        return end;
    }

    long heldUntil(Attempt attempt) {
        return attempt.heldUntil(killed(attempt.worker()));
    }
}
