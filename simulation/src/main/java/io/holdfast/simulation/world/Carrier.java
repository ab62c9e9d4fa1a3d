package io.holdfast.simulation.world;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of this machine that lends itself to fibers, one after the other. All carriers of a world but one wait: they
 * exist because Java 17 cannot set a call stack aside, not to do two things at once.
 */
final class Carrier {

    /** Carriers that have nothing to do; kept from one run to the next. Used by one world at a time. */
    static final class Pool {
        private final ArrayDeque<Carrier> idle = new ArrayDeque<>();
        private int started;

        Carrier take() {
            Carrier carrier = idle.poll();
            return carrier != null ? carrier : new Carrier(this, ++started);
        }

        /** Ends the threads. */
        void close() {
            for (Carrier carrier : idle) {
                carrier.ended = true;
                carrier.give();
            }
            idle.clear();
        }
    }

    private final Pool pool;
    private final Thread thread;
    private volatile boolean baton;
    private volatile boolean ended;
    private @Nullable Runnable body;

    private Carrier(Pool pool, int number) {
        this.pool = pool;
        this.thread = new Thread(null, this::work, "carrier-" + number, 256 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    /** Stands for the thread that calls. */
    Carrier() {
        this.pool = new Pool();
        this.thread = Thread.currentThread();
    }

    /** What it runs when it gets the baton. */
    void load(Runnable task) {
        body = task;
    }

    void give() {
        baton = true;
        LockSupport.unpark(thread);
    }

    void await() {
        while (!baton) {
            LockSupport.park(this);
        }
        baton = false;
    }

    private void work() {
        while (true) {
            await();
            if (ended) {
                return;
            }
            Runnable task = body;
            if (task != null) {
                body = null;
                task.run();
            }
        }
    }

    /** Says that its fiber is over; before the baton is given on, since the next may be given this carrier at once. */
    void free() {
        pool.idle.push(this);
    }
}
