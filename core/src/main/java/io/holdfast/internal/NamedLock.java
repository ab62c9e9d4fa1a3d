package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A name and its options; everything else is the engine's. */
public final class NamedLock extends LockForms<HeldLease> {
    private final String name;
    private final LockOptions options;
    private final Share share;
    private final Order order;

    /**
     * A view of a lock.
     *
     * @param share how much of it is taken
     * @param order in which order it is had by those who wait
     */
    public NamedLock(Engine engine, String name, LockOptions options, Share share, Order order) {
        super(engine.replicating(name, options));
        this.name = name;
        this.options = options;
        this.share = share;
        this.order = order;
    }

    @Override
    public String getLockName() {
        return name;
    }

    Share share() {
        return share;
    }

    // --- bound to the thread

    @Override
    public boolean unlock() {
        return unlock(engine.endings()::release);
    }

    /** As {@link #unlock}; whatever is to be given back to the store is left to the caller. */
    boolean unlock(Predicate<HeldLease> release) {
        ThreadHolds.Entry entry = entry();
        if (entry == null) {
            return false;
        }
        if (--entry.count > 0) {
            return engine.isValid(entry.lease);
        }
        engine.holds().remove(name, share);
        ThreadHolds.Entry other = entry.other;
        if (other == null) {
            return release.test(entry.lease);
        }
        other.other = null;
        if (share.isRead()) {
            // It was read on the strength of what this thread still has whole.
            return engine.isValid(entry.lease);
        }
        boolean safe = engine.isValid(entry.lease);
        other.lease = engine.endings().downgrade(entry.lease);
        Loss loss = entry.lease.loss();
        // Whether it can go on reading does not change what it wrote before; that the lock was gone by then does.
        return safe && (loss == null || loss.cause() != Loss.Cause.GONE);
    }

    private ThreadHolds.@Nullable Entry entry() {
        return engine.holds().get(name, share);
    }

    @Override
    public int getHoldCount() {
        ThreadHolds.Entry entry = entry();
        return entry != null && engine.isValid(entry.lease) ? entry.count : 0;
    }

    @Override
    List<HeldLease> heldByThisThread() {
        ThreadHolds.Entry entry = entry();
        return entry == null ? List.of() : List.of(entry.lease);
    }

    @Override
    boolean reenter() {
        ThreadHolds.Entry entry = entry();
        if (entry == null) {
            return readsAsWriter();
        }
        engine.ensureValid(entry.lease);
        entry.count++;
        return true;
    }

    @Override
    void leave() {
        // Had it been re-entered, nothing else had been asked for.
    }

    boolean isTakenByThisThread() {
        return entry() != null;
    }

    /** One that has it whole may read, too, on the strength of that. One that reads is refused the whole. */
    private boolean readsAsWriter() {
        ThreadHolds.Entry other = switch (share.kind()) {
            case READ -> engine.holds().get(name, Share.WHOLE);
            case WHOLE -> engine.holds().get(name, Share.READ);
            case PERMITS -> null;
        };
        if (other == null) {
            return false;
        }
        if (!share.isRead()) {
            throw new IllegalStateException(
                    "lock '" + name + "': this thread reads, and wants to write as well. Two that"
                            + " do so would wait for each other for ever: unlock the read lock first, and look again at what was"
                            + " read");
        }
        engine.ensureValid(other.lease);
        ThreadHolds.Entry entry = engine.holds().add(other.lease, share);
        entry.other = other;
        other.other = entry;
        return true;
    }

    @Override
    void hold(HeldLease taken) {
        engine.holds().add(taken, share);
    }

    // --- asking

    @Override
    Attempt<HeldLease> attempt(@Nullable Duration lease, @Nullable Object thread, long waitNanos, Caller caller) {
        return engine.acquire(wish(lease, thread, waitNanos), caller, caller.runs());
    }

    @Override
    String firstName() {
        return name;
    }

    @Override
    Attempt<HeldLease> attemptAsync(long waitNanos) {
        return engine.acquireAsync(wish(null, null, waitNanos));
    }

    Wish wish(@Nullable Duration lease, @Nullable Object thread, long waitNanos) {
        return new Wish(engine, name, terms(lease), thread, waitNanos, share, order);
    }

    /** The options, with a lease of that length and no renewal if one is given. */
    LockOptions terms(@Nullable Duration lease) {
        return lease == null
                ? options
                : options.toBuilder().lease(lease).renewal(false).build();
    }

    @Override
    Lease handle(HeldLease taken) {
        return new LeaseHandle(engine, taken);
    }

    @Override
    void giveBack(HeldLease taken) {
        engine.endings().releaseInBackground(taken);
    }

    @Override
    List<HeldLease> leases(HeldLease taken) {
        return List.of(taken);
    }

    @Override
    List<HeldLease> lostBeforeSeen(HeldLease taken) {
        return engine.isValid(taken) && taken.isSeen() ? List.of() : List.of(taken);
    }

    @Override
    public String toString() {
        return "DistributedLock['" + name + "' in " + engine.storeAddress() + "]";
    }
}
