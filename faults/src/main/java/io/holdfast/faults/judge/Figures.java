package io.holdfast.faults.judge;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How long things took. All times in nanoseconds. */
public final class Figures {
    private final Evidence evidence;
    private final Map<Workload, List<Attempt>> granted = new EnumMap<>(Workload.class);

    public Figures(Evidence evidence) {
        this.evidence = evidence;
        evidence.attempts().stream()
                .filter(Attempt::isGranted)
                .sorted(Comparator.comparingLong(Attempt::granted))
                .forEach(attempt -> granted.computeIfAbsent(attempt.wish().workload(), any -> new ArrayList<>())
                        .add(attempt));
    }

    /** The smallest that at least this part (0 to 1) of all do not exceed; -1 if there is none. */
    public static long percentile(List<Long> values, double part) {
        if (values.isEmpty()) {
            return -1;
        }
        List<Long> sorted = values.stream().sorted().toList();
        return sorted.get((int) Math.min(sorted.size() - 1, Math.max(0, Math.ceil(part * sorted.size()) - 1)));
    }

    public int grants(Workload workload) {
        return granted.getOrDefault(workload, List.of()).size();
    }

    /** How often it was granted from the beginning of such a fault to that of the next one. */
    public long grants(Workload workload, FaultKind kind) {
        long count = 0;
        List<Injection> injections = evidence.injections();
        for (int i = 0; i < injections.size(); i++) {
            if (injections.get(i).kind() == kind) {
                long to = i + 1 < injections.size() ? injections.get(i + 1).start() : Attempt.NEVER;
                count += firstAfter(workload, to)
                        - firstAfter(workload, injections.get(i).start());
            }
        }
        return count;
    }

    /** How many were granted by then, which is the index of the first after it. */
    private int firstAfter(Workload workload, long time) {
        List<Attempt> all = granted.getOrDefault(workload, List.of());
        int low = 0;
        int high = all.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all.get(middle).granted() <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** From the end of each such fault, or the beginning of a failover, to the next grant. */
    public List<Long> recovery(Workload workload, FaultKind kind) {
        List<Attempt> all = granted.getOrDefault(workload, List.of());
        return evidence.injections().stream()
                .filter(each -> each.kind() == kind && firstAfter(workload, each.recoverFrom()) < all.size())
                .map(each -> all.get(firstAfter(workload, each.recoverFrom())).granted() - each.recoverFrom())
                .toList();
    }

    /**
     * From the kill of one that held a lock alone to the next that had it, if somebody wanted it before the lease was over, and
     * did not wait for another lock as well.
     */
    public List<Long> handOvers() {
        return granted.keySet().stream()
                .filter(workload -> workload != Workload.SEVERAL)
                .flatMap(workload -> handOvers(workload).stream())
                .toList();
    }

    /** The same of one kind, by processes that did not stand still meanwhile. */
    public List<Long> handOvers(Workload workload) {
        return successions(workload).stream()
                .filter(each -> evidence.standstill(
                                each.next().worker(), each.killed(), each.next().granted())
                        == 0)
                .map(Succession::nanos)
                .toList();
    }

    /** Who followed one that was killed while it held. */
    record Succession(long killed, Attempt next) {
        long nanos() {
            return next.granted() - killed;
        }
    }

    List<Succession> successions(Workload workload) {
        List<Succession> found = new ArrayList<>();
        List<Attempt> all = granted.getOrDefault(workload, List.of());
        for (Injection kill : evidence.injections()) {
            if (kill.kind() == FaultKind.KILL) {
                all.stream()
                        .filter(attempt -> attempt.worker().equals(kill.target())
                                && attempt.wish().mode() == Mode.ALONE
                                && attempt.releasing == Attempt.NEVER
                                && attempt.heldUntil(Attempt.NEVER) > kill.start())
                        .forEach(victim -> victim.wish()
                                .locks()
                                .forEach(lock -> next(all, victim, lock, kill.start())
                                        .filter(next -> next.asked()
                                                < kill.start()
                                                        + evidence.lease().toNanos())
                                        .ifPresent(next -> found.add(new Succession(kill.start(), next)))));
            }
        }
        return found;
    }

    private Optional<Attempt> next(List<Attempt> all, Attempt victim, String lock, long kill) {
        int from = firstAfter(victim.wish().workload(), kill);
        return all.subList(from, all.size()).stream()
                .filter(attempt -> attempt != victim && attempt.wish().locks().contains(lock))
                .findFirst();
    }

    /** From the deadline to the signal, of processes that did not stand still meanwhile. */
    public List<Long> lossSignals() {
        return evidence.attempts().stream()
                .filter(attempt -> attempt.isProven()
                        && attempt.lost() != Attempt.NEVER
                        && attempt.until() != Attempt.NEVER
                        && attempt.until() < attempt.releasing
                        && attempt.lost() >= attempt.until()
                        && evidence.standstill(
                                        attempt.worker(),
                                        attempt.until() - evidence.lease().toNanos(),
                                        attempt.lost())
                                == 0)
                .map(attempt -> attempt.lost() - attempt.until())
                .toList();
    }

    /** How many were told of a loss. */
    public long losses() {
        return evidence.attempts().stream()
                .filter(attempt -> attempt.lost() != Attempt.NEVER)
                .count();
    }

    /** How many writes were refused for their tokens. */
    public long refusedWrites() {
        return evidence.attempts().stream()
                .filter(attempt -> attempt.fenced() != Attempt.NEVER)
                .count();
    }

    /** By how much waits lasted longer than meant, where the process did not stand still. */
    public List<Long> overtimes() {
        return evidence.attempts().stream()
                .filter(attempt -> attempt.answered() != Attempt.NEVER
                        && attempt.overtime() > 0
                        && evidence.standstill(attempt.worker(), attempt.asked(), attempt.answered()) == 0)
                .map(Attempt::overtime)
                .toList();
    }

    /** From the moment at which a latch was surely open to that at which one who waited knew it. */
    public List<Long> wakeUps() {
        return new LatchJudge(evidence).wakeUps();
    }

    /** How many failed because the store did not answer, or refused. */
    public long errors() {
        return evidence.attempts().stream().filter(attempt -> attempt.failed).count();
    }
}
