package io.holdfast.faults.worker;

import io.holdfast.faults.contender.Held;
import java.util.List;
import java.util.Random;

/**
 * What one does while it holds: it looks whether it still does, works for a moment, and then writes. A pause between look and
 * write is what only a token protects from.
 */
record Section(EventLog log, Worker.Order order, Gate gate, Random random) {
    /** A deadline that moved by less is the same one, seen at another moment. */
    private static final long SAME_DEADLINE_NANOS = 1_000_000;

    /** Works for some time, or until it does not hold any more. */
    void work(Held held, long id, List<String> locks, boolean writes) throws InterruptedException {
        long end = System.nanoTime() + millis() * 1_000_000;
        long look = Math.max(2, order.lease().toMillis() / 100);
        long known = Long.MIN_VALUE;
        do {
            long until;
            try {
                until = held.validUntil();
            } catch (RuntimeException e) {
                log.write('X', id, System.nanoTime(), e.getClass().getSimpleName());
                return;
            }
            if (until == Held.NO) {
                log.write('N', id, System.nanoTime());
                return;
            }
            if (known == Long.MIN_VALUE || until - known > SAME_DEADLINE_NANOS) {
                known = until;
                log.write('V', id, System.nanoTime(), until);
            }
            Thread.sleep(look);
            if (writes && !write(held, id, locks)) {
                log.write('F', id, System.nanoTime());
                return;
            }
        } while (System.nanoTime() - end < 0);
    }

    private boolean write(Held held, long id, List<String> locks) {
        boolean accepted = true;
        for (int i = 0; i < locks.size(); i++) {
            accepted &= gate.write(
                    locks.get(i), order.name() + ":" + id, held.tokens().get(i));
        }
        return accepted;
    }

    /** Mostly short; now and then so long that the lease has to be renewed. */
    private long millis() {
        long lease = order.lease().toMillis();
        int kind = random.nextInt(20);
        long most = kind < 15 ? lease / 50 : kind < 19 ? lease / 3 : lease * 3 / 2;
        return random.nextInt((int) Math.max(1, most));
    }
}
