package io.holdfast.internal;

import io.holdfast.Loss;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.internal.flight.Flight;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases every third of their length, and declares them lost at their deadline.
 *
 * <p>Every held lease stands here once, under its next moment: the time of its next renewal, or, while a renewal is under
 * way and for leases that are not renewed, its deadline. So a lease has at most one renewal in flight, and one that gets
 * no answer is lost at its deadline by this machine's clock, whatever the renewal thread is stuck in: moments are kept by
 * the timer thread, which never does I/O, and batches are sent by a worker.
 *
 * <p>One timer is armed, for the earliest moment. A lease that comes re-arms it only if it is due earlier still, and one
 * that goes never does, so the traffic of lock and unlock costs no timers.
 */
final class Watchdog {
    /** So many are renewed in one go at most. */
    static final int BATCH = 500;

    /** A section that is over by then needs no renewal at all. */
    private static final long FULL_LEASE_SOON_NANOS = 20_000_000L;

    private final Platform platform;
    private final LockStore store;
    private final Duration commandTimeout;
    private final Losses losses;
    private final Journal journal;
    private final Platform.Worker sender;

    /** A lease that is to be renewed, and since when. */
    private record Due(HeldLease lease, long nanos) {
        long lag(Sent sent) {
            return sent.nanos - nanos;
        }
    }

    /** When a batch of renewals was sent. */
    private static final class Sent {
        private final long nanos;
        private final long wallMillis;
        private Duration length = Duration.ZERO;
        private Validity validity;

        Sent(long nanos, long wallMillis) {
            this.nanos = nanos;
            this.wallMillis = wallMillis;
            this.validity = Validity.after(nanos, wallMillis, length);
        }

        /** What it proves of a lease of that length that is renewed: the same object for all of them, since they may be many. */
        Validity proves(Duration lease) {
            if (!lease.equals(length)) {
                length = lease;
                validity = Validity.after(nanos, wallMillis, lease);
            }
            return validity;
        }
    }

    private final Moments leases = new Moments();
    private Platform.@Nullable Timer timer;
    private long armedNanos;

    Watchdog(Platform platform, LockStore store, Duration commandTimeout, Losses losses) {
        this.platform = platform;
        this.store = store;
        this.commandTimeout = commandTimeout;
        this.losses = losses;
        this.journal = new Journal(store.address());
        this.sender = platform.worker("renewal");
    }

    /** Watches a lease from now on. */
    void add(HeldLease lease) {
        synchronized (this) {
            put(lease);
            setTimer();
        }
    }

    /** The same, but its moment is kept only from {@link #setTimer} on: whoever waits for the lease can be told before that. */
    void put(HeldLease lease) {
        synchronized (this) {
            place(lease, renewalMoment(lease));
        }
    }

    /** Sees to it that no moment is missed. It may wake another thread. */
    void setTimer() {
        synchronized (this) {
            if (!leases.isEmpty() && (timer == null || leases.first().nextNanos - armedNanos < 0)) {
                arm(platform.nanoTime(), leases.first().nextNanos);
            }
        }
    }

    /** Watches a lease in the place of another. */
    void replace(HeldLease from, HeldLease next) {
        synchronized (this) {
            remove(from);
            add(next);
        }
    }

    /** Forgets a lease; a renewal in flight for it has no effect any more. */
    void remove(HeldLease lease) {
        synchronized (this) {
            if (lease.isWatched()) {
                leases.remove(lease);
            }
        }
    }

    /** All that are held now. */
    List<HeldLease> held() {
        synchronized (this) {
            return leases.all();
        }
    }

    void close() {
        synchronized (this) {
            if (timer != null) {
                timer.cancel();
            }
            leases.clear();
        }
        sender.finish(commandTimeout.toNanos());
    }

    /** Puts a lease under its next moment: {@code renewNanos}, or its deadline if that comes first. */
    private void place(HeldLease lease, long renewNanos) {
        if (lease.isWatched()) {
            leases.remove(lease);
        }
        if (lease.phase() == Phase.LOST) {
            return;
        }
        long deadline = lease.validity().untilNanos();
        lease.renewalDue = lease.options.renewal() && renewNanos - deadline < 0;
        lease.nextNanos = lease.renewalDue ? renewNanos : deadline;
        leases.add(lease);
    }

    private void arm(long now, long moment) {
        if (timer != null) {
            timer.cancel();
        }
        armedNanos = moment;
        timer = platform.schedule(Math.max(0, moment - now), this::tick);
    }

    private void tick() {
        List<Due> due = new ArrayList<>();
        List<HeldLease> over = new ArrayList<>();
        synchronized (this) {
            long now = platform.nanoTime();
            long wall = platform.wallMillis();
            timer = null;
            while (!leases.isEmpty() && isDue(leases.first(), now)) {
                HeldLease lease = leases.first();
                if (lease.remainingNanos(now, wall) <= 0 || reasonToStop(lease) != null) {
                    leases.remove(lease);
                    over.add(lease);
                } else if (lease.renewalDue && !lease.isPastMaxHold(now)) {
                    due.add(new Due(lease, lease.nextNanos));
                    place(lease, lease.validity().untilNanos());
                } else {
                    place(lease, lease.validity().untilNanos());
                }
            }
            if (!leases.isEmpty()) {
                arm(now, leases.first().nextNanos);
            }
        }
        for (HeldLease lease : over) {
            losses.declare(lease, whyOver(lease));
        }
        apart(due).forEach(this::sendInBatches);
    }

    /**
     * Leases of about the same length in the same part of the store go together: a batch has the patience of its shortest, and
     * is answered when its slowest is. The shortest come first.
     */
    private List<List<Due>> apart(List<Due> due) {
        Map<Integer, Map<String, List<Due>>> byLength = new TreeMap<>(Comparator.reverseOrder());
        for (Due each : due) {
            int zeros = Long.numberOfLeadingZeros(each.lease.options.lease().toMillis());
            byLength.computeIfAbsent(zeros, none -> new LinkedHashMap<>())
                    .computeIfAbsent(store.part(each.lease.name()), none -> new ArrayList<>())
                    .add(each);
        }
        List<List<Due>> all = new ArrayList<>();
        byLength.values().forEach(byPart -> all.addAll(byPart.values()));
        return all;
    }

    private void sendInBatches(List<Due> due) {
        for (int from = 0; from < due.size(); from += BATCH) {
            List<Due> batch = due.subList(from, Math.min(from + BATCH, due.size()));
            sender.execute(() -> send(batch));
        }
    }

    /** A renewal may come a little early, so that leases taken at about the same time share a batch. */
    private static boolean isDue(HeldLease lease, long now) {
        long early = lease.renewalDue ? lease.options.lease().toNanos() / 16 : 0;
        return lease.nextNanos - early - now <= 0;
    }

    private @Nullable Loss reasonToStop(HeldLease lease) {
        if (!lease.renewalDue || lease.phase() != Phase.HELD) {
            // What lies ready for the next is nobody's, and whoever comes to have it must be found here.
            return null;
        }
        Object thread = lease.thread();
        if (thread != null && !platform.isAlive(thread)) {
            return new Loss(Loss.Cause.HOLDER_DIED, "the thread that held it has ended without unlocking");
        }
        if (lease.isUnreachable()) {
            return new Loss(
                    Loss.Cause.ABANDONED, "its Lease became unreachable without having been released" + lease.where());
        }
        return null;
    }

    private Loss whyOver(HeldLease lease) {
        Loss stop = reasonToStop(lease);
        return stop != null ? stop : Losses.expired(lease, platform.nanoTime());
    }

    private void send(List<Due> batch) {
        List<Due> held = new ArrayList<>(batch.size());
        List<RenewItem> items = new ArrayList<>(batch.size());
        long patience = commandTimeout.toNanos();
        for (Due due : batch) {
            HeldLease lease = due.lease;
            if (lease.phase() == Phase.HELD) {
                Duration length = lease.options.lease();
                held.add(due);
                items.add(new RenewItem(lease.name(), lease.owner(), length));
                // Leaves time for a second try within the lease. Not by the arithmetic of Duration, which divides as
                // decimals.
                patience = Math.min(patience, length.toNanos() / 3);
            }
        }
        if (items.isEmpty()) {
            return;
        }
        Sent sent = new Sent(platform.nanoTime(), platform.wallMillis());
        Duration timeout = Duration.ofNanos(patience);
        Flight.Renewals flight = Flight.renewals();
        Failures.renew(store, items, timeout).whenComplete((replies, error) -> {
            int failed = 0;
            String reason = "";
            for (int i = 0; i < held.size(); i++) {
                RenewReply reply = error == null ? replies.get(i) : new RenewReply.Failed(StoreFailure.of(error));
                if (flight != null) {
                    note(flight, held.get(i).lag(sent), reply);
                }
                if (reply instanceof RenewReply.Failed failure) {
                    failed++;
                    reason = failure.failure().reason();
                }
                answered(held.get(i), sent, reply);
            }
            if (flight != null) {
                flight.ends(store.address(), held.size());
            }
            journal.renewed(held.size(), failed, reason);
        });
    }

    private static void note(Flight.Renewals flight, long lag, RenewReply reply) {
        flight.lag(lag);
        if (!(reply instanceof RenewReply.Renewed)) {
            flight.failed();
        }
    }

    private void answered(Due due, Sent sent, RenewReply reply) {
        HeldLease lease = due.lease;
        if (reply instanceof RenewReply.Renewed) {
            lease.prove(sent.proves(lease.options.lease()));
            lease.renewalSucceeded();
            again(lease, renewalMoment(lease));
            Trail trail = lease.trail();
            if (trail != null) {
                Duration lag = Duration.ofNanos(Math.max(0, due.lag(sent)));
                trail.tell(listener -> listener.renewed(lease.hold(), lag));
            }
        } else if (reply instanceof RenewReply.Failed failed) {
            StoreFailure failure = failed.failure();
            long now = platform.nanoTime();
            lease.renewalFailed(failure.reason());
            again(lease, now + retryPause(lease));
            Duration remaining = Duration.ofNanos(Math.max(0, lease.remainingNanos(now, platform.wallMillis())));
            Notices.tell(lease.trail(), listener -> listener.renewalFailed(lease.hold(), remaining, failure));
        } else {
            gone(
                    lease,
                    new Loss(
                            Loss.Cause.GONE,
                            "the store no longer has it (deleted, flushed, evicted, or restarted without its memory)"));
        }
    }

    /**
     * The store no longer has it. To the store all to whom it was passed on meanwhile are the same holder, so whoever has it by
     * now has lost it: where sections are shorter than a renewal takes, no answer comes to the one it was sent for.
     */
    void gone(HeldLease lease, Loss loss) {
        for (HeldLease each = lease; each != null; each = each.heir()) {
            losses.gone(each, loss);
            // After that: one that comes to be watched only now is found to be lost, or is taken out here.
            remove(each);
        }
    }

    private void again(HeldLease lease, long renewNanos) {
        synchronized (this) {
            if (lease.isWatched()) {
                place(lease, renewNanos);
                setTimer();
            }
        }
    }

    /**
     * A third of the lease after the request that proved it was sent; later, if it was extended. A lock that was only
     * lent for a moment is to have its full lease soon.
     */
    private static long renewalMoment(HeldLease lease) {
        Validity validity = lease.validity();
        long length = lease.options.lease().toNanos();
        long full = length - Validity.allowance(lease.options.lease());
        return validity.untilNanos() - validity.sinceNanos() < full
                ? validity.sinceNanos() + FULL_LEASE_SOON_NANOS
                : validity.untilNanos() - full + length / 3;
    }

    private static long retryPause(HeldLease lease) {
        long pause = lease.options.lease().toNanos() / 30;
        return Math.min(pause, 500_000_000);
    }
}
