package io.holdfast.testkit;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Parks threads for real, and knows which of them wait and which have been woken and are still at it. */
final class Parking {
    // All guarded by this.
    private final Set<Thread> parked = new HashSet<>();
    /** Still parked, though told to go on. */
    private final Set<Thread> waking = new HashSet<>();
    /** Told to go on before they parked. */
    private final Set<Thread> permits = new HashSet<>();
    /** Not parked, and not known to have come to rest since. */
    private final Set<Thread> awake = new HashSet<>();

    void park() {
        Thread thread = Thread.currentThread();
        synchronized (this) {
            if (permits.remove(thread)) {
                return;
            }
            awake.remove(thread);
            parked.add(thread);
        }
        LockSupport.park(this);
        synchronized (this) {
            parked.remove(thread);
            waking.remove(thread);
            awake.add(thread);
        }
    }

    void unpark(Thread thread) {
        synchronized (this) {
            if (parked.remove(thread)) {
                waking.add(thread);
            } else if (!waking.contains(thread)) {
                permits.add(thread);
                awake.add(thread);
            }
        }
        LockSupport.unpark(thread);
    }

    synchronized int parked() {
        return parked.size();
    }

    /** Whether every thread that was woken waits again, here or elsewhere, or has ended. */
    synchronized boolean isAtRest() {
        awake.removeIf(thread -> thread == Thread.currentThread() || rests(thread));
        permits.removeIf(thread -> !thread.isAlive());
        return waking.isEmpty() && awake.isEmpty();
    }

    /** Blocked does not count: whoever has the monitor gives it back in a moment. */
    static boolean rests(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            case NEW, RUNNABLE, BLOCKED -> false;
        };
    }
}
