package io.holdfast.internal;

import io.holdfast.HandOver;
import io.holdfast.LockListener;
import io.holdfast.Outcome;
import io.holdfast.internal.flight.Flight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is told of one attempt, and of the hold that comes from it: to the listeners and to the flight recorder. An attempt that
 * nobody wants to know of has none.
 */
final class Trail {
    private enum Wait {
        NOT_YET,
        WAITS,
        OVER
    }

    private final Notices notices;
    private final String lockName;
    private final List<LockListener> listeners;
    private final Flight.@Nullable Attempt attempt;
    private final @Nullable Place place;

    // Guarded by this, so that what belongs together is told in its order.
    private Wait wait = Wait.NOT_YET;
    private boolean ended;
    private Flight.@Nullable Held held;

    Trail(Notices notices, String lockName, List<LockListener> listeners, @Nullable Place place) {
        this.notices = notices;
        this.lockName = lockName;
        this.listeners = listeners;
        this.place = place;
        this.attempt = Flight.attempt(lockName);
    }

    /** Asks the listeners, on the thread that asks for the lock, who is to hear of it. */
    static List<LockListener> listeners(
            List<LockListener> all, String lockName, BiConsumer<LockListener, Runnable> guard) {
        List<LockListener> mine = null;
        for (int i = 0; i < all.size(); i++) {
            LockListener listener = all.get(i);
            LockListener[] own = {listener};
            guard.accept(listener, () -> own[0] = listener.asked(lockName));
            if (own[0] != listener) {
                mine = mine == null ? new ArrayList<>(all) : mine;
                mine.set(i, own[0]);
            }
        }
        return mine == null ? all : mine;
    }

    /** Where the lock was asked for; null if that is not noted. */
    @Nullable
    Place place() {
        return place;
    }

    void tell(Consumer<LockListener> notice) {
        notices.tell(listeners, notice);
    }

    /** It has to wait; told once. */
    synchronized void waits() {
        if (wait == Wait.NOT_YET) {
            wait = Wait.WAITS;
            tell(listener -> listener.waiting(lockName));
        }
    }

    synchronized void waited(Duration waited, boolean obtained) {
        if (wait == Wait.WAITS) {
            wait = Wait.OVER;
            tell(listener -> listener.waited(lockName, waited, obtained));
        }
    }

    /** It has the lock. */
    synchronized void acquired(HeldLease lease, Duration waited, @Nullable HandOver from) {
        if (attempt != null) {
            attempt.got(lease.token(), from == null ? "" : text(from));
        }
        if (Flight.isOn()) {
            held = Flight.held(lockName, lease.owner(), lease.token());
        }
        tell(listener -> {
            listener.acquired(lease.hold(), waited);
            if (from != null) {
                listener.handedOver(lease.hold(), from);
            }
        });
    }

    /** It has ended; told once. */
    synchronized void ended(Outcome outcome, Duration took) {
        if (ended) {
            return;
        }
        ended = true;
        boolean hasWaited = wait != Wait.NOT_YET;
        waited(took, outcome == Outcome.OBTAINED);
        if (attempt != null) {
            attempt.ends(text(outcome), hasWaited);
        }
        tell(listener -> listener.ended(lockName, outcome, took));
    }

    /** The thread that has asked goes on. */
    void seen() {
        if (attempt != null) {
            attempt.seen();
        }
    }

    /** What was held is held no longer. */
    void over(String how) {
        Flight.Held span;
        synchronized (this) {
            span = held;
            held = null;
        }
        if (span != null) {
            span.ends(how);
        }
    }

    static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
