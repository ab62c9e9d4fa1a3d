package io.holdfast.internal;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The threads of one role, for what may wait for the store: one for each part of it ({@link LockStore#part}), so that a part
 * that does not answer keeps nobody from the others. A store without parts has one. Thread safe.
 */
final class Workers {
    private final Platform platform;
    private final LockStore store;
    private final String role;

    // Guarded by this.
    private final Map<String, Platform.Worker> workers = new LinkedHashMap<>();
    private boolean finished;

    Workers(Platform platform, LockStore store, String role) {
        this.platform = platform;
        this.store = store;
        this.role = role;
    }

    /** Runs what is sent for this lock, by the thread of the part that has it then. */
    Executor of(String name) {
        return task -> worker(store.part(name)).execute(task);
    }

    /** Runs what is sent to all parts, or to none in particular. */
    Executor ofAll() {
        return task -> worker("").execute(task);
    }

    /** Those whose locks are in one part, for each part. */
    <T> List<List<T>> apart(List<T> all, Function<T, String> name) {
        Map<String, List<T>> parts = new LinkedHashMap<>();
        for (T one : all) {
            parts.computeIfAbsent(store.part(name.apply(one)), part -> new ArrayList<>())
                    .add(one);
        }
        return List.copyOf(parts.values());
    }

    private Executor worker(String part) {
        synchronized (this) {
            Platform.Worker worker = workers.get(part);
            if (worker == null) {
                if (finished) {
                    // As a worker that has finished does: somebody may wait for it.
                    return Runnable::run;
                }
                worker = platform.worker(role);
                workers.put(part, worker);
            }
            return worker;
        }
    }

    /** Takes no more tasks, and waits at most so long for those it has; gives back those it did not get to. */
    List<Runnable> finish(long nanos) {
        List<Platform.Worker> all;
        synchronized (this) {
            finished = true;
            all = List.copyOf(workers.values());
        }
        long until = platform.nanoTime() + nanos;
        List<Runnable> left = new ArrayList<>();
        for (Platform.Worker worker : all) {
            left.addAll(worker.finish(Math.max(0, until - platform.nanoTime())));
        }
        return left;
    }
}
