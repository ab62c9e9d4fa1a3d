package io.holdfast.internal;

import io.holdfast.LockListener;
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
    private final ArrayDeque<Consumer<LockListener>> queue = new ArrayDeque<>();
    private boolean running;

    Notices(List<LockListener> listeners, Executor callbacks) {
        this.listeners = List.copyOf(listeners);
        this.callbacks = callbacks;
    }

    /** Whether anybody listens. */
    boolean areHeard() {
        return !listeners.isEmpty();
    }

    void tell(Consumer<LockListener> notice) {
        if (listeners.isEmpty()) {
            return;
        }
        synchronized (queue) {
            queue.add(notice);
            if (running) {
                return;
            }
            running = true;
        }
        callbacks.execute(this::drain);
    }

    private void drain() {
        for (Consumer<LockListener> notice = next(); notice != null; notice = next()) {
            for (LockListener listener : listeners) {
                try {
                    notice.accept(listener);
                } catch (Throwable e) {
                    // An Error of a listener's must not silence the others for good.
                    log.warn("a lock listener failed: {}", listener, e);
                }
            }
        }
    }

    private @Nullable Consumer<LockListener> next() {
        synchronized (queue) {
            Consumer<LockListener> notice = queue.poll();
            running = notice != null;
            return notice;
        }
    }
}
