package io.holdfast.faults.judge;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * Says which promises were broken.
 *
 * <p>Somebody <i>surely held</i> from the moment at which its call had returned to the last deadline it knew of, or, if it can
 * only ask, to the moment before it last asked and was told yes; never longer than until it began to give back, was told of its
 * loss, or was killed. Two that surely held at the same time what only one may hold is an overlap: neither a pause nor a slow
 * log can make one up.
 *
 * <p>An overlap is outside the timing model if something befell the servers that the model excludes, while one of the two held
 * or in the five seconds before.
 */
public final class Judge {
    private static final long MILLI = 1_000_000;
    /** How long before a hold a step of the clock may matter; see the timing model. */
    static final long BEFORE_NANOS = 5_000 * MILLI;
    /**
     * A client passes on what it was granted for 25 ms, and some more: who asked within this after a step of the clock may have
     * been granted before it.
     */
    private static final long STEP_GRACE_NANOS = 100 * MILLI;
    /** How long threads of one client may go on with tokens from before a loss of state, and some more. */
    private static final long TOKEN_GRACE_NANOS = 1_000 * MILLI;
    /** Far more than it takes: what is late by less is a matter of the machine, and stands in the figures. */
    private static final long LOSS_LIMIT_NANOS = 500 * MILLI;
    /** One command time-out, and one second for a busy machine. */
    static final long WAIT_LIMIT_NANOS = 3_000 * MILLI;

    private final Evidence evidence;
    private final List<Violation> violations = new ArrayList<>();

    private Judge(Evidence evidence) {
        this.evidence = evidence;
    }

    /** All that was found, in the order of time. */
    public static List<Violation> judge(Evidence evidence) {
        Judge judge = new Judge(evidence);
        judge.violations.addAll(evidence.seen());
        judge.byLock().forEach((lock, attempts) -> {
            judge.overlaps(lock, attempts);
            judge.tokens(lock, attempts);
        });
        judge.staleWrites();
        judge.losses();
        judge.waits();
        judge.violations.addAll(new LatchJudge(evidence).judge());
        judge.leaders();
        judge.violations.sort(Comparator.comparingLong(Violation::time));
        return List.copyOf(judge.violations);
    }

    /** What was surely held, by lock, in the order in which it was granted. */
    private Map<String, List<Attempt>> byLock() {
        Map<String, List<Attempt>> locks = new TreeMap<>();
        evidence.attempts().stream()
                .filter(Attempt::isProven)
                .sorted(Comparator.comparingLong(Attempt::granted))
                .forEach(attempt -> attempt.wish()
                        .locks()
                        .forEach(lock -> locks.computeIfAbsent(lock, any -> new ArrayList<>())
                                .add(attempt)));
        return locks;
    }

    private void overlaps(String lock, List<Attempt> attempts) {
        List<Attempt> in = new ArrayList<>();
        for (Attempt next : attempts) {
            in.removeIf(earlier -> evidence.heldUntil(earlier) <= next.granted());
            if (next.wish().mode() == Mode.PERMITS) {
                int out = in.stream().mapToInt(each -> each.wish().permits()).sum();
                if (out + next.wish().permits() > Workload.PERMITS) {
                    overlap(
                            lock,
                            in.get(in.size() - 1),
                            next,
                            (out + next.wish().permits()) + " permits out");
                }
            } else {
                in.stream()
                        .filter(earlier -> earlier.wish().mode() == Mode.ALONE
                                || next.wish().mode() == Mode.ALONE)
                        .findFirst()
                        .ifPresent(earlier -> overlap(lock, earlier, next, "both held"));
            }
            if (evidence.heldUntil(next) > next.granted()) {
                in.add(next);
            }
        }
    }

    private void overlap(String lock, Attempt first, Attempt second, String what) {
        long until = Math.min(evidence.heldUntil(first), evidence.heldUntil(second));
        if (until <= second.granted()) {
            return;
        }
        boolean inside = !excused(first.granted() - BEFORE_NANOS, second.granted(), (kind, any) -> kind.isOutside());
        String text =
                lock + ": " + what + " for " + (until - second.granted()) / MILLI + " ms: " + first + " and " + second;
        violations.add(new Violation(Violation.Kind.OVERLAP, second.wish().workload(), inside, second.granted(), text));
    }

    /** Whether such a fault was there at some moment of that time. */
    private boolean excused(long from, long to, BiPredicate<FaultKind, Injection> which) {
        return evidence.injectionsIn(from, to).anyMatch(each -> which.test(each.kind(), each));
    }

    /**
     * A token is higher than those of all who had surely let go before; a reader's only than those of writers. And no two are
     * alike.
     */
    private void tokens(String lock, List<Attempt> attempts) {
        PriorityQueue<Attempt> in = new PriorityQueue<>(Comparator.comparingLong(evidence::heldUntil));
        Map<Long, Attempt> given = new HashMap<>();
        long highest = 0;
        long highestAlone = 0;
        for (Attempt next : attempts) {
            long token = next.token(lock);
            if (token == 0 || next.wish().mode() == Mode.PERMITS) {
                continue;
            }
            while (!in.isEmpty() && evidence.heldUntil(in.element()) <= next.granted()) {
                Attempt over = in.remove();
                highest = Math.max(highest, over.token(lock));
                if (over.wish().mode() == Mode.ALONE) {
                    highestAlone = Math.max(highestAlone, over.token(lock));
                }
            }
            in.add(next);
            Attempt twin = given.put(token, next);
            long above = next.wish().mode() == Mode.ALONE ? highest : highestAlone;
            if (token <= above || (twin != null && next.wish().mode() == Mode.ALONE)) {
                token(lock, next, token <= above ? "is not above " + above : "was given before, to " + twin);
                // Counted once for each fall, and not for all that follows.
                highest = token;
                highestAlone = token;
                in.clear();
                given.clear();
            }
        }
    }

    private void token(String lock, Attempt next, String what) {
        long from = next.granted() - BEFORE_NANOS;
        boolean inside = !excused(
                from,
                next.granted(),
                (kind, each) -> kind.mayBeFailover()
                        || (kind.losesState() && next.granted() - each.end() < TOKEN_GRACE_NANOS)
                        // It had it from before the step, which took it away, and others came and went meanwhile.
                        || (kind == FaultKind.SERVER_CLOCK && each.end() >= next.asked() - STEP_GRACE_NANOS));
        String text = lock + ": token " + next.token(lock) + " " + what + ": " + next;
        violations.add(new Violation(Violation.Kind.TOKEN, next.wish().workload(), inside, next.granted(), text));
    }

    /** Whoever has written, and then another, and then writes again, has overwritten a later holder. */
    private void staleWrites() {
        Map<String, Attempt> byKey = new HashMap<>();
        evidence.attempts().forEach(attempt -> byKey.put(attempt.key(), attempt));
        evidence.writes().forEach((lock, holders) -> {
            Set<String> wrote = new HashSet<>();
            for (String holder : holders) {
                Attempt attempt = byKey.get(holder);
                if (!wrote.add(holder) && attempt != null) {
                    long from = attempt.granted() - BEFORE_NANOS;
                    // With tokens nothing excuses it. Without them it is what happens outside the model.
                    boolean inside = attempt.token(lock) > 0
                            || !excused(
                                    from, evidence.heldUntil(attempt) + BEFORE_NANOS, (kind, any) -> kind.isOutside());
                    violations.add(new Violation(
                            Violation.Kind.STALE_WRITE,
                            attempt.wish().workload(),
                            inside,
                            evidence.heldUntil(attempt),
                            lock + ": " + attempt + " wrote after a later holder had"));
                }
            }
        });
    }

    private void losses() {
        if (!evidence.signalsLoss()) {
            return;
        }
        for (Attempt attempt : evidence.attempts()) {
            if (attempt.ignored) {
                add(Violation.Kind.LOSS_LATE, attempt, attempt + " was deposed, and not interrupted");
            }
            if (!mustHearOfALoss(attempt)) {
                continue;
            }
            long to = Math.min(attempt.lost(), evidence.end());
            long late = to - attempt.until() - evidence.standstill(attempt.worker(), attempt.until(), to);
            if (attempt.lost() == Attempt.NEVER || late > LOSS_LIMIT_NANOS) {
                violations.add(new Violation(
                        Violation.Kind.LOSS_LATE,
                        attempt.wish().workload(),
                        true,
                        attempt.until(),
                        attempt
                                + (attempt.lost() == Attempt.NEVER
                                        ? " was never told of its loss"
                                        : " was told of its loss " + late / MILLI + " ms after its deadline")));
            }
        }
    }

    /**
     * Whether its deadline passed while it held and lived. One that was killed may have been prolonged since it last looked, so
     * of that it is known only if it had asked once more, or given back.
     */
    private boolean mustHearOfALoss(Attempt attempt) {
        boolean known = evidence.killed(attempt.worker()) == Attempt.NEVER
                || attempt.toldNo != Attempt.NEVER
                || attempt.released != Attempt.NEVER;
        return known
                && attempt.isProven()
                && !attempt.kept
                && attempt.until() != Attempt.NEVER
                && attempt.until() < attempt.releasing
                && attempt.until() + LOSS_LIMIT_NANOS < evidence.killed(attempt.worker())
                && attempt.until() + LOSS_LIMIT_NANOS < evidence.end();
    }

    private void leaders() {
        for (Figures.Succession each : new Figures(evidence).successions(Workload.ELECTION)) {
            long late = each.nanos()
                    - evidence.lease().toNanos()
                    - evidence.standstill(
                            each.next().worker(), each.killed(), each.next().granted());
            if (late > WAIT_LIMIT_NANOS) {
                violations.add(new Violation(
                        Violation.Kind.LEADER_LATE,
                        Workload.ELECTION,
                        true,
                        each.killed(),
                        each.next() + " led " + late / MILLI
                                + " ms later than the lease of the killed leader was over"));
            }
        }
    }

    private void waits() {
        for (Attempt attempt : evidence.attempts()) {
            long killed = evidence.killed(attempt.worker());
            if (attempt.answered() == Attempt.NEVER) {
                if (killed == Attempt.NEVER) {
                    add(Violation.Kind.WAITER_LOST, attempt, attempt + " asked, and was never answered");
                }
            } else {
                long late = attempt.overtime() <= WAIT_LIMIT_NANOS
                        ? 0 // most are in time, and need no look at the pauses
                        : attempt.overtime()
                                - evidence.standstill(attempt.worker(), attempt.asked(), attempt.answered());
                if (late > WAIT_LIMIT_NANOS) {
                    add(
                            Violation.Kind.WAIT_LATE,
                            attempt,
                            attempt + " waited " + late / MILLI + " ms longer than the " + attempt.meant() / MILLI
                                    + " ms that it meant to");
                }
            }
        }
    }

    private void add(Violation.Kind kind, Attempt attempt, String text) {
        violations.add(new Violation(kind, attempt.wish().workload(), true, attempt.asked(), text));
    }

    /** What was found, by what it broke. */
    public static Map<Violation.Kind, List<Violation>> byKind(List<Violation> violations) {
        return violations.stream().collect(groupingBy(Violation::kind, TreeMap::new, toList()));
    }
}
