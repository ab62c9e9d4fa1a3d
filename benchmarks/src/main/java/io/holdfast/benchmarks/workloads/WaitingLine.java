package io.holdfast.benchmarks.workloads;

import static java.util.Objects.requireNonNull;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.InParallel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Clients that want one name, each with a session and a thread of its own. One has it, the others wait. */
final class WaitingLine implements AutoCloseable {
    private static final int OPENERS = 8;
    private static final int STACK = 256 * 1024;
    private static final long PATIENCE_SECONDS = 60;

    private final List<Member> members = Collections.synchronizedList(new ArrayList<>());
    private final BlockingQueue<Member> holders = new LinkedBlockingQueue<>();
    private @Nullable Member holder;
    private volatile boolean closed;

    /** One release: by whom, and how long until the next one had the lock. */
    record Turn(Member from, long nanos) {}

    /** Opens all the clients; the last one of them has the lock. */
    WaitingLine(Contender contender, Servers servers, int clients) {
        int port = servers.port(contender);
        try {
            InParallel.forEach(OPENERS, clients, i -> members.add(new Member(contender.openSmall(Servers.HOST, port))));
            members.forEach(Thread::start);
            join(members.get(clients - 1));
            holder = next();
            members.subList(0, clients - 1).forEach(this::join);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Lets the holder unlock, and waits for the next one. */
    Turn release() {
        Member from = requireNonNull(holder);
        from.mayUnlock.release();
        Member next = next();
        holder = next;
        return new Turn(from, next.heldAt - from.freedAt);
    }

    private Member next() {
        try {
            Member next = holders.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IllegalStateException("nobody got the lock within " + PATIENCE_SECONDS + " s");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a measurement", e);
        }
    }

    /** Joins the waiters. */
    void join(Member member) {
        member.mayLock.release();
    }

    /** Ends all waits by closing their clients, the holder last: nobody is to get the lock meanwhile. */
    @Override
    public void close() {
        closed = true;
        List<Member> waiting =
                members.stream().filter(member -> member != holder).toList();
        InParallel.forEach(OPENERS, waiting.size(), i -> waiting.get(i).session.close());
        waiting.forEach(Thread::interrupt); // for those who do not notice
        if (holder != null) {
            holder.end();
        }
    }

    /** One client. */
    final class Member extends Thread {
        private final Session session;
        private final Semaphore mayLock = new Semaphore(0);
        private final Semaphore mayUnlock = new Semaphore(0);
        private volatile long heldAt;
        private volatile long freedAt;

        Member(Session session) {
            super(null, null, "waiter", STACK);
            this.session = session;
            setDaemon(true);
        }

        /** Unlocks, then disconnects. */
        void end() {
            mayUnlock.release();
            try {
                join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            session.close();
        }

        @Override
        public void run() {
            try {
                var lock = session.lock("bench:0");
                while (!closed) {
                    mayLock.acquire();
                    lock.lock();
                    heldAt = System.nanoTime();
                    holders.add(this);
                    mayUnlock.acquire();
                    freedAt = System.nanoTime();
                    lock.unlock();
                }
            } catch (InterruptedException | RuntimeException e) {
                if (!closed) {
                    throw new IllegalStateException("a waiter failed", e);
                }
            }
        }
    }
}
