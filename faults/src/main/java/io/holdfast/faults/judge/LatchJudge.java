package io.holdfast.faults.judge;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Says which promises of latches were broken.
 *
 * <p>A latch is <i>surely open</i> when as many calls to count it down have returned as it takes, and <i>surely shut</i> while
 * fewer than that have begun: whatever became of a call that failed, or of one whose process was killed, it counts once at most.
 */
final class LatchJudge {
    private static final long MILLI = 1_000_000;

    private final Evidence evidence;
    private final Map<String, List<Attempt>> latches;

    LatchJudge(Evidence evidence) {
        this.evidence = evidence;
        this.latches = evidence.attempts().stream()
                .filter(attempt -> attempt.wish().workload() == Workload.LATCH)
                .collect(groupingBy(attempt -> attempt.wish().locks().get(0), HashMap::new, toList()));
    }

    List<Violation> judge() {
        List<Violation> violations = new ArrayList<>();
        latches.values()
                .forEach(all -> all.stream()
                        .filter(each -> each.wish().mode() == Mode.AWAITING)
                        .forEach(waiter -> judge(waiter, all, violations)));
        return violations;
    }

    private void judge(Attempt waiter, List<Attempt> all, List<Violation> violations) {
        long begun = all.stream()
                .filter(each -> each.wish().mode() == Mode.COUNTING && each.asked() <= waiter.granted())
                .count();
        if (waiter.isGranted() && begun < waiter.wish().permits()) {
            violations.add(violation(
                    Violation.Kind.WOKEN_EARLY,
                    waiter,
                    all,
                    waiter + " was let through when it had been counted down " + begun + " times"));
        }
        long open = openAt(all, waiter.wish().permits());
        if (open != Attempt.NEVER && waiter.answered() != Attempt.NEVER && !waiter.failed) {
            long late = late(waiter, open);
            if (late > Judge.WAIT_LIMIT_NANOS) {
                violations.add(violation(
                        Violation.Kind.WAKE_UP_LOST,
                        waiter,
                        all,
                        waiter + (waiter.isGranted() ? " learnt only " : " had not learnt ") + late / MILLI
                                + " ms after it was open that it is"));
            }
        }
    }

    /** For how long the latch was open and the waiter did not know, less the time in which something stood in its way. */
    private long late(Attempt waiter, long open) {
        long from = Math.max(open, waiter.asked());
        long to = waiter.answered();
        return to <= from ? 0 : to - from - evidence.faults(from, to) - evidence.standstill(waiter.worker(), from, to);
    }

    private static long openAt(List<Attempt> all, int counts) {
        List<Long> done = all.stream()
                .filter(each -> each.wish().mode() == Mode.COUNTING && each.isGranted())
                .map(Attempt::granted)
                .sorted()
                .toList();
        return done.size() < counts ? Attempt.NEVER : done.get(counts - 1);
    }

    private Violation violation(Violation.Kind kind, Attempt waiter, List<Attempt> all, String text) {
        long set = all.stream().mapToLong(Attempt::asked).min().orElse(waiter.asked());
        boolean inside = evidence.injectionsIn(set, waiter.answered())
                .noneMatch(each -> each.kind().isOutside());
        return new Violation(kind, Workload.LATCH, inside, waiter.answered(), text);
    }

    /** From the moment at which it was surely open to that at which somebody who waited knew it. */
    List<Long> wakeUps() {
        List<Long> nanos = new ArrayList<>();
        latches.values()
                .forEach(all -> all.stream()
                        .filter(each -> each.wish().mode() == Mode.AWAITING && each.isGranted())
                        .forEach(waiter -> {
                            long open = openAt(all, waiter.wish().permits());
                            if (open != Attempt.NEVER && waiter.asked() < open) {
                                nanos.add(Math.max(0, waiter.granted() - open));
                            }
                        }));
        return nanos;
    }
}
