package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

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
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * <p>Leases that are renewed in one go stand under one {@link Moment} from then on, until something becomes of one of them
 * alone. While their renewal is under way that is the deadline of the first that would be over.
 *
 * <p>One timer is armed, for the earliest moment. A lease that comes re-arms it only if it is due earlier still, and one
 * that goes never does, so the traffic of lock and unlock costs no timers.
 */
final class Watchdog {
    /** So many are renewed in one go at most. */
    static final int BATCH = 500;

    /** So many go alone: to fill up a batch from another that is nearly full would move them about each time. */
    private static final int ENOUGH = BATCH * 3 / 4;

    /** A section that is over by then needs no renewal at all. */
    private static final long FULL_LEASE_SOON_NANOS = 20_000_000L;

    private final Platform platform;
    private final LockStore store;
    private final Duration commandTimeout;
    private final Losses losses;
    private final Journal journal;
    private final Platform.Worker sender;

    /** Leases that are to be renewed in one go, and since when. */
    private static final class Due {
        /** Under which they stand while that is under way, unless they have left it. */
        final Moment moment;

        private @Nullable HeldLease[] leases;
        private long[] since;
        private int size;

        Due(Moment moment, long nanos) {
            this.moment = moment;
            this.leases = new @Nullable HeldLease[moment.size()];
            this.since = new long[moment.size()];
            for (int i = 0; i < moment.size(); i++) {
                add(moment.lease(i), nanos);
            }
        }

        void add(HeldLease lease, long nanos) {
            if (size == leases.length) {
                leases = Arrays.copyOf(leases, 2 * size);
                since = Arrays.copyOf(since, 2 * size);
            }
            leases[size] = lease;
            since[size++] = nanos;
        }

        int size() {
            return size;
        }

        HeldLease lease(int index) {
            return requireNonNull(leases[index], "not asked for");
        }

        /** Those that nobody holds any more are not asked for. */
        void keepHeld() {
            int all = size;
            size = 0;
            for (int i = 0; i < all; i++) {
                HeldLease lease = lease(i);
                if (lease.phase() == Phase.HELD) {
                    leases[size] = lease;
                    since[size++] = since[i];
                }
            }
        }

        long lag(int index, Sent sent) {
            return sent.nanos - since[index];
        }
    }

    /**
     * A lease that is over.
     *
     * @param stop why it is not renewed; null if its time is over
     */
    private record Over(HeldLease lease, @Nullable Loss stop) {}

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
            if (!leases.isEmpty() && (timer == null || leases.first().nanos() - armedNanos < 0)) {
                arm(platform.nanoTime(), leases.first().nanos());
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
            leases.remove(lease);
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
        if (lease.phase() == Phase.LOST) {
            leases.remove(lease);
            return;
        }
        long deadline = lease.validity().untilNanos();
        boolean renewal = lease.options.renewal() && renewNanos - deadline < 0;
        leases.add(lease, renewal ? renewNanos : deadline, renewal);
    }

    private void arm(long now, long moment) {
        if (timer != null) {
            timer.cancel();
        }
        armedNanos = moment;
        timer = platform.schedule(Math.max(0, moment - now), this::tick);
    }

    private void tick() {
        List<Over> over = new ArrayList<>();
        List<Due> due;
        synchronized (this) {
            long now = platform.nanoTime();
            timer = null;
            due = due(now, platform.wallMillis(), over);
            if (!leases.isEmpty()) {
                arm(now, leases.first().nanos());
            }
        }
        for (Over one : over) {
            losses.declare(
                    one.lease(), one.stop() != null ? one.stop() : Losses.expired(one.lease(), platform.nanoTime()));
        }
        due.forEach(batch -> sender.execute(() -> send(batch)));
    }

    /**
     * What is to be renewed now. Leases of about the same length in the same part of the store go together: a batch has the
     * patience of its shortest, and is answered when its slowest is. The shortest come first.
     */
    private List<Due> due(long now, long wall, List<Over> over) {
        Map<Integer, Map<String, List<Due>>> byLength = new TreeMap<>(Comparator.reverseOrder());
        while (!leases.isEmpty() && isDue(leases.first(), now)) {
            Moment moment = leases.first();
            takeOut(moment, now, wall, over);
            if (moment.size() > 0) {
                HeldLease one = moment.lease(0);
                int zeros = Long.numberOfLeadingZeros(one.options.lease().toMillis());
                goTogether(
                        byLength.computeIfAbsent(zeros, none -> new LinkedHashMap<>())
                                .computeIfAbsent(part(one), none -> new ArrayList<>()),
                        moment);
            }
        }
        List<Due> all = new ArrayList<>();
        byLength.values().forEach(byPart -> byPart.values().forEach(all::addAll));
        return all;
    }

    /** Leaves those under a moment that has come that are to be renewed together. */
    private void takeOut(Moment moment, long now, long wall, List<Over> over) {
        boolean renewal = moment.isForRenewal();
        String part = part(moment.lease(0));
        for (int i = moment.size() - 1; i >= 0; i--) {
            HeldLease lease = moment.lease(i);
            Loss stop = renewal ? reasonToStop(lease) : null;
            if (lease.remainingNanos(now, wall) <= 0 || stop != null) {
                leases.remove(lease);
                over.add(new Over(lease, stop));
            } else if (!renewal || lease.isPastMaxHold(now)) {
                place(lease, lease.validity().untilNanos());
            } else if (!part(lease).equals(part)) {
                // It has moved since they were renewed together.
                leases.add(lease, moment.nanos(), true);
            }
        }
    }

    private String part(HeldLease lease) {
        try {
            return store.part(lease.name());
        } catch (RuntimeException e) {
            // No store should; but no moment may be missed for it.
            return "";
        }
    }

    /** From here until their renewal is answered they stand under the first of their deadlines. */
    private void goTogether(List<Due> batches, Moment moment) {
        long since = moment.nanos();
        boolean many = moment.size() > ENOUGH;
        Due last = batches.isEmpty() || many ? null : batches.get(batches.size() - 1);
        while (last != null && last.size() < BATCH && moment.size() > 0) {
            HeldLease lease = moment.lease(moment.size() - 1);
            leases.join(lease, last.moment);
            last.add(lease, since);
            isUnderWay(last.moment, lease);
        }
        if (moment.size() > 0) {
            // The last is the one that others may join.
            batches.add(many ? Math.max(0, batches.size() - 1) : batches.size(), new Due(moment, since));
            leases.move(moment, moment.lease(0).validity().untilNanos(), false);
            for (int i = 1; i < moment.size(); i++) {
                isUnderWay(moment, moment.lease(i));
            }
        }
    }

    private void isUnderWay(Moment moment, HeldLease lease) {
        long deadline = lease.validity().untilNanos();
        if (deadline - moment.nanos() < 0) {
            leases.move(moment, deadline, false);
        }
    }

    /** A renewal may come a little early, so that leases taken at about the same time share a batch. */
    private static boolean isDue(Moment moment, long now) {
        long early = moment.isForRenewal() ? moment.lease(0).options.lease().toNanos() / 16 : 0;
        return moment.nanos() - early - now <= 0;
    }

    private @Nullable Loss reasonToStop(HeldLease lease) {
        if (lease.phase() != Phase.HELD) {
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

    private void send(Due batch) {
        batch.keepHeld();
        int size = batch.size();
        List<RenewItem> items = new ArrayList<>(size);
        long patience = commandTimeout.toNanos();
        for (int i = 0; i < size; i++) {
            HeldLease lease = batch.lease(i);
            Duration length = lease.options.lease();
            items.add(new RenewItem(lease.name(), lease.owner(), length));
            // Leaves time for a second try within the lease. Not by the arithmetic of Duration, which divides as
            // decimals.
            patience = Math.min(patience, length.toNanos() / 3);
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
            List<HeldLease> renewed = new ArrayList<>(size);
            try {
                for (int i = 0; i < size; i++) {
                    RenewReply reply = error == null ? replies.get(i) : new RenewReply.Failed(StoreFailure.of(error));
                    long lag = batch.lag(i, sent);
                    if (flight != null) {
                        note(flight, lag, reply);
                    }
                    if (reply instanceof RenewReply.Failed failure) {
                        failed++;
                        reason = failure.failure().reason();
                    } else if (reply instanceof RenewReply.Renewed) {
                        renewed.add(batch.lease(i));
                    }
                    answered(batch.lease(i), lag, sent, reply);
                }
            } finally {
                again(batch.moment, renewed, sent);
            }
            if (flight != null) {
                flight.ends(store.address(), size);
            }
            journal.renewed(size, failed, reason);
        });
    }

    private static void note(Flight.Renewals flight, long lag, RenewReply reply) {
        flight.lag(lag);
        if (!(reply instanceof RenewReply.Renewed)) {
            flight.failed();
        }
    }

    private void answered(HeldLease lease, long lag, Sent sent, RenewReply reply) {
        if (reply instanceof RenewReply.Renewed) {
            Trail trail = lease.renewed(sent.proves(lease.options.lease()));
            if (trail != null) {
                Duration late = Duration.ofNanos(Math.max(0, lag));
                trail.tell(listener -> listener.renewed(lease.hold(), late));
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
     * These were renewed together, and are to be so again, but for those of which something else has become by now. By what was
     * proved to all of them, never by what one of them has: that may be extended at any moment.
     */
    private void again(Moment moment, List<HeldLease> renewed, Sent sent) {
        synchronized (this) {
            Duration length =
                    renewed.isEmpty() ? Duration.ZERO : renewed.get(0).options.lease();
            int stay = 0;
            for (HeldLease lease : renewed) {
                if (lease.moment == moment
                        && lease.phase() != Phase.LOST
                        && lease.options.lease().equals(length)) {
                    stay++;
                } else if (lease.isWatched()) {
                    place(lease, renewalMoment(lease));
                }
            }
            if (stay < moment.size()) {
                leaveTheRest(moment, renewed);
            }
            if (stay > 0) {
                Validity proved = sent.proves(length);
                long next = renewalMoment(proved, length);
                boolean renewal = next - proved.untilNanos() < 0;
                leases.move(moment, renewal ? next : proved.untilNanos(), renewal);
            }
            setTimer();
        }
    }

    /** They were not asked for, and each is over when its time is. */
    private void leaveTheRest(Moment moment, List<HeldLease> renewed) {
        Set<HeldLease> stay = Collections.newSetFromMap(new IdentityHashMap<>());
        stay.addAll(renewed);
        for (int i = moment.size() - 1; i >= 0; i--) {
            HeldLease lease = moment.lease(i);
            if (!stay.contains(lease)) {
                place(lease, lease.validity().untilNanos());
            }
        }
    }

    /**
     * A third of the lease after the request that proved it was sent; later, if it was extended. A lock that was only
     * lent for a moment is to have its full lease soon.
     */
    private static long renewalMoment(HeldLease lease) {
        return renewalMoment(lease.validity(), lease.options.lease());
    }

    private static long renewalMoment(Validity validity, Duration lease) {
        long length = lease.toNanos();
        long full = length - Validity.allowance(lease);
        return validity.untilNanos() - validity.sinceNanos() < full
                ? validity.sinceNanos() + FULL_LEASE_SOON_NANOS
                : validity.untilNanos() - full + length / 3;
    }

    private static long retryPause(HeldLease lease) {
        long pause = lease.options.lease().toNanos() / 30;
        return Math.min(pause, 500_000_000);
    }
}
