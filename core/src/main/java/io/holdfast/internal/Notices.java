package io.holdfast.internal;

import io.holdfast.LockListener;
import io.holdfast.internal.flight.Flight;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners, in order and one at a time, on a thread where they delay no lock. */
final class Notices {
    private static final Logger log = LoggerFactory.getLogger(Notices.class);

    private final List<LockListener> listeners;
    private final Executor callbacks;
    private final boolean places;
    private final ArrayDeque<Notice> queue = new ArrayDeque<>();
    private boolean running;

    /** Something to tell, and whom. */
    private record Notice(List<LockListener> listeners, Consumer<LockListener> event) {}

    Notices(List<LockListener> listeners, Executor callbacks) {
        this(listeners, callbacks, false);
    }

    /** @param places whether to note where locks are asked for */
    Notices(List<LockListener> listeners, Executor callbacks, boolean places) {
        this.listeners = List.copyOf(listeners);
        this.callbacks = callbacks;
        this.places = places;
    }

    /** Begins to note what becomes of an attempt, on the thread that makes it. Null if nobody wants to know. */
    @Nullable
    Trail trail(String lockName) {
        if (listeners.isEmpty() && !places && !Flight.isOn()) {
            return null;
        }
        return new Trail(
                this, lockName, Trail.listeners(listeners, lockName, Notices::guarded), places ? new Place() : null);
    }

    /** Tells those who hear of an attempt. */
    static void tell(@Nullable Trail trail, Consumer<LockListener> event) {
        if (trail != null) {
            trail.tell(event);
        }
    }

    void tell(Consumer<LockListener> event) {
        tell(listeners, event);
    }

    void tell(List<LockListener> to, Consumer<LockListener> event) {
        if (to.isEmpty()) {
            return;
        }
        synchronized (queue) {
            queue.add(new Notice(to, event));
            if (running) {
                return;
            }
            running = true;
        }
        callbacks.execute(this::drain);
    }

    private void drain() {
        for (Notice notice = next(); notice != null; notice = next()) {
            Consumer<LockListener> event = notice.event();
            for (LockListener listener : notice.listeners()) {
                guarded(listener, () -> event.accept(listener));
            }
        }
    }

    private static void guarded(LockListener listener, Runnable event) {
        try {
            event.run();
        } catch (Throwable e) {
            // An Error of a listener's must not silence the others for good.
            log.atWarn().setCause(e).addKeyValue("listener", listener).log("a lock listener failed");
        }
    }

    private @Nullable Notice next() {
        synchronized (queue) {
            Notice notice = queue.poll();
            running = notice != null;
            return notice;
        }
    }
}
