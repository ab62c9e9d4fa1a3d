package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * What one server of a quorum was to be told to give up, and could not be told. Until it hears of it, or the lease is over, all
 * others have to do without that server for this lock. So it is said again: one of them every now and then, and all the others
 * as soon as the server answers. Thread safe.
 *
 * <p>There is a limit to how many are kept. Beyond it those that came first stay: what came later was asked for when the server
 * was out of reach already, so most likely there is nothing to give up.
 */
final class Owed {
    static final int MOST = 1_000;
    private static final long PAUSE_NANOS = 500_000_000L;

    /** @param said whether it is on its way right now */
    private record Debt(NodeCommand command, long untilNanos, boolean said) {
        Debt said(boolean now) {
            return new Debt(command, untilNanos, now);
        }
    }

    private final Platform platform;
    private final long longestNanos;
    private final BiConsumer<String, NodeCommand> says;

    // Guarded by this.
    private final Map<String, Debt> debts = new LinkedHashMap<>();
    private boolean scheduled;
    private boolean closed;

    private volatile boolean any;

    /**
     * @param maxLease how long a lock may stay where it is not given up
     * @param says tells the server what a holder gives up; ends with {@link #heard} or {@link #add}
     */
    Owed(Platform platform, Duration maxLease, BiConsumer<String, NodeCommand> says) {
        this.platform = platform;
        this.longestNanos = maxLease.toNanos();
        this.says = says;
    }

    /** The server could not be told. */
    void add(String holder, NodeCommand command) {
        synchronized (this) {
            if (closed || (debts.size() >= MOST && !debts.containsKey(holder))) {
                return;
            }
            Debt first = new Debt(command, platform.nanoTime() + longestNanos, false);
            debts.merge(holder, first, (present, again) -> present.said(false));
            any = true;
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        later();
    }

    /** The server has heard what this holder gives up: so it can be told the rest, too. */
    void heard(String holder) {
        if (!any) {
            return;
        }
        Map<String, NodeCommand> rest;
        synchronized (this) {
            debts.remove(holder);
            rest = take(MOST);
        }
        rest.forEach(says);
    }

    void close() {
        synchronized (this) {
            closed = true;
            debts.clear();
            any = false;
        }
    }

    private void later() {
        platform.schedule(PAUSE_NANOS, () -> platform.callbacks().execute(this::sayOne));
    }

    private void sayOne() {
        Map<String, NodeCommand> one;
        boolean again;
        synchronized (this) {
            long now = platform.nanoTime();
            debts.values().removeIf(debt -> debt.untilNanos() - now < 0);
            one = take(1);
            again = !debts.isEmpty();
            scheduled = again;
        }
        one.forEach(says);
        if (again) {
            later();
        }
    }

    /** Those that are not on their way yet; from now on they are. */
    private Map<String, NodeCommand> take(int most) {
        Map<String, NodeCommand> taken = new LinkedHashMap<>();
        for (Map.Entry<String, Debt> entry : debts.entrySet()) {
            if (taken.size() < most && !entry.getValue().said()) {
                taken.put(entry.getKey(), entry.getValue().command());
                entry.setValue(entry.getValue().said(true));
            }
        }
        any = !debts.isEmpty();
        return taken;
    }

    synchronized int size() {
        return debts.size();
    }
}
