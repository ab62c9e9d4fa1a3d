package io.holdfast.faults.worker;

import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Workload;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A thread that stands for election, and does while it leads what a {@link Taker} does while it holds. */
final class Candidate implements Runnable {
    private static final String ELECTION = Workload.ELECTION.locks().get(0);
    private static final long NO_END = TimeUnit.DAYS.toNanos(1);
    private static final int LOOK_MILLIS = 20;
    /** How long a deposed leader waits to be interrupted. */
    private static final int PATIENCE_MILLIS = 3_000;

    private final Worker.Order order;
    private final Session session;
    private final EventLog log;
    private final AtomicLong ids;
    private final AtomicBoolean stop;
    private final Random random;
    private final AtomicLong standing = new AtomicLong();
    private final Semaphore inside = new Semaphore(1);

    Candidate(Worker.Order order, int number, Session session, EventLog log, AtomicLong ids, AtomicBoolean stop) {
        this.order = order;
        this.session = session;
        this.log = log;
        this.ids = ids;
        this.stop = stop;
        this.random = new Random(order.seed() * 31 + number);
    }

    @Override
    public void run() {
        stand();
        Session.Candidacy candidacy = session.stand(ELECTION, this::lead);
        try {
            while (!stop.get()) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            candidacy.close();
        }
        inside.acquireUninterruptibly(); // what is written down must be, before the log is closed
        long id = standing.getAndSet(0);
        if (id != 0) {
            log.write('T', id, System.nanoTime());
        }
    }

    private void stand() {
        long id = ids.incrementAndGet();
        log.write('Q', id, System.nanoTime(), Workload.ELECTION, Mode.ALONE, ELECTION, 1, NO_END);
        standing.set(id);
    }

    private void lead(Held held) throws InterruptedException {
        if (!inside.tryAcquire()) {
            return; // all is over
        }
        try (Gate gate = new Gate(order.gate())) {
            long id = standing.getAndSet(0);
            if (id == 0) {
                return; // elected once more before its candidacy was closed
            }
            log.write('G', id, System.nanoTime(), held.tokens().get(0));
            held.onLost(cause -> log.write('L', id, System.nanoTime(), cause));
            try {
                new Section(log, order, gate, random).work(held, id, Workload.ELECTION.locks(), true);
                if (held.validUntil() == Held.NO) {
                    awaitInterrupt(id);
                }
            } finally {
                long until = held.validUntil();
                if (until != Held.NO) {
                    log.write('V', id, System.nanoTime(), until); // it may have been prolonged since the last look
                }
                log.write('U', id, System.nanoTime());
                if (!stop.get()) {
                    stand();
                }
            }
        } finally {
            inside.release();
        }
    }

    /** One that was deposed is interrupted, whatever it does. */
    private void awaitInterrupt(long id) throws InterruptedException {
        try {
            Thread.sleep(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            log.write('I', id, System.nanoTime(), true);
            throw e;
        }
        log.write('I', id, System.nanoTime(), false);
    }
}
