package io.holdfast.faults.judge;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import io.holdfast.testkit.history.FencedModel;
import io.holdfast.testkit.history.History;
import io.holdfast.testkit.history.LinearizabilityChecker;
import io.holdfast.testkit.history.Model;
import io.holdfast.testkit.history.MutexModel;
import io.holdfast.testkit.history.Operation;
import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Outcome;
import io.holdfast.testkit.history.ReadWriteModel;
import io.holdfast.testkit.history.SemaphoreModel;
import io.holdfast.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A second opinion: the history checker of the testkit, which knows nothing of this harness, looks for an order of all grants,
 * releases and losses of a lock that a lock may have.
 *
 * <p>It is given only what is certain. A hold is an acquire that was granted between its call and its return; a renewal at the
 * last moment at which its client surely held (see {@link Judge}); and its end, which is a release that said that all was well,
 * or else a loss at any moment from then on, seen by nobody. One that never surely held may have been lost at any moment since
 * it asked. Nothing is said of those who did not get it, since whatever became of them keeps nobody out.
 *
 * <p>Leaving out a hold as a whole can hide something, and cannot make something up: no other operation speaks of it. So what
 * something outside the timing model may have touched is left out, and nothing is compared across it; and long histories are cut
 * into pieces that overlap, which bounds the work.
 */
public final class HistoryJudge {
    /** Holds in one piece, and how many of them are in the next one too. */
    private static final int PIECE = 400;

    private static final int OVERLAP = 100;
    private static final long BUDGET = 50_000;
    private static final int SHOWN_LINES = 16;

    private final Evidence evidence;
    private final List<Violation> violations = new ArrayList<>();
    private int holds;
    private int pieces;
    private int undecided;

    private HistoryJudge(Evidence evidence) {
        this.evidence = evidence;
    }

    /**
     * What the checker says.
     *
     * @param holds how many it was given, of all locks
     * @param pieces in how many histories
     * @param undecided of how many it said nothing, since they took too long
     */
    public record Opinion(List<Violation> violations, int holds, int pieces, int undecided) {}

    public static Opinion judge(Evidence evidence) {
        HistoryJudge judge = new HistoryJudge(evidence);
        judge.byLock().forEach((key, attempts) -> judge.check(key.lock, attempts));
        return new Opinion(List.copyOf(judge.violations), judge.holds, judge.pieces, judge.undecided);
    }

    /** A lock, between two faults that are outside the timing model. */
    private record Era(String lock, long number) implements Comparable<Era> {
        private static final Comparator<Era> ORDER =
                Comparator.comparing(Era::lock).thenComparingLong(Era::number);

        @Override
        public int compareTo(Era other) {
            return ORDER.compare(this, other);
        }
    }

    private Map<Era, List<Attempt>> byLock() {
        Map<Era, List<Attempt>> locks = new TreeMap<>();
        evidence.attempts().stream()
                .filter(attempt -> attempt.isGranted() && attempt.wish().workload() != Workload.LATCH)
                .filter(attempt -> evidence.injectionsIn(attempt.asked() - Judge.BEFORE_NANOS, end(attempt))
                        .noneMatch(each -> each.kind().isOutside()))
                .sorted(Comparator.comparingLong(Attempt::granted))
                .forEach(attempt -> attempt.wish()
                        .locks()
                        .forEach(lock -> locks.computeIfAbsent(new Era(lock, era(attempt)), any -> new ArrayList<>())
                                .add(attempt)));
        return locks;
    }

    private long era(Attempt attempt) {
        return evidence.injections().stream()
                .filter(each -> each.kind().isOutside() && each.start() < attempt.asked())
                .count();
    }

    /** When all that is known of it was over. */
    private long end(Attempt attempt) {
        return Math.max(evidence.heldUntil(attempt), attempt.kept ? attempt.released : attempt.granted());
    }

    private void check(String lock, List<Attempt> attempts) {
        for (int from = 0; from < attempts.size(); from += PIECE - OVERLAP) {
            List<Attempt> piece = attempts.subList(from, Math.min(attempts.size(), from + PIECE));
            holds += piece.size() - (from == 0 ? 0 : Math.min(OVERLAP, piece.size()));
            pieces++;
            Workload workload = piece.get(0).wish().workload();
            Verdict verdict = LinearizabilityChecker.check(history(lock, piece), model(workload, lock, piece), BUDGET);
            if (verdict.kind() == Verdict.Kind.GAVE_UP) {
                undecided++;
            } else if (verdict.kind() == Verdict.Kind.FAILED) {
                String report = String.join(
                        "\n  ", verdict.report().lines().limit(SHOWN_LINES).toList());
                long time = verdict.prefix().stream()
                        .mapToLong(Operation::called)
                        .max()
                        .orElse(piece.get(0).granted());
                violations.add(new Violation(Violation.Kind.HISTORY, workload, true, time, lock + ": " + report));
            }
            if (from + PIECE >= attempts.size()) {
                break;
            }
        }
    }

    private static Model<?> model(Workload workload, String lock, List<Attempt> attempts) {
        boolean fenced = attempts.stream().allMatch(attempt -> attempt.token(lock) > 0);
        return switch (workload) {
            case READ_WRITE -> new ReadWriteModel();
            case SEMAPHORE -> new SemaphoreModel(Workload.PERMITS);
            default -> fenced ? new FencedModel() : new MutexModel();
        };
    }

    private History history(String lock, List<Attempt> attempts) {
        List<Operation> all = new ArrayList<>();
        attempts.forEach(attempt -> add(lock, attempt, all));
        return History.of(all);
    }

    private void add(String lock, Attempt attempt, List<Operation> all) {
        all.add(operation(lock, attempt, Action.ACQUIRE, Outcome.GRANTED, attempt.asked(), attempt.granted()));
        if (attempt.kept && attempt.releasing < evidence.killed(attempt.worker())) {
            all.add(operation(lock, attempt, Action.RELEASE, Outcome.DONE, attempt.releasing, attempt.released));
            return;
        }
        long until = evidence.heldUntil(attempt);
        boolean surely = attempt.isProven() && until > attempt.granted();
        if (surely) {
            all.add(operation(lock, attempt, Action.RENEW, Outcome.DONE, until, until));
        }
        long since = surely ? until : attempt.asked();
        all.add(operation(lock, attempt, Action.LOSE, Outcome.UNKNOWN, since, Operation.OPEN));
    }

    /** Each wish is a client of its own: nobody takes twice what it has. */
    private static Operation operation(
            String lock, Attempt attempt, Action action, Outcome outcome, long called, long returned) {
        return new Operation(
                attempt.key(),
                lock,
                action,
                attempt.wish().mode() == Mode.READING ? Operation.Mode.SHARED : Operation.Mode.EXCLUSIVE,
                attempt.wish().mode() == Mode.PERMITS ? attempt.wish().permits() : 1,
                attempt.token(lock),
                outcome,
                called,
                returned);
    }
}
