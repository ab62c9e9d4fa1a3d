package io.holdfast.faults.worker;

import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A thread that takes, works and gives back, again and again. While it holds, it looks whether it still does, works for a
 * moment, and then writes: a pause between look and write is what only a token protects from.
 */
final class Taker implements Runnable {
    private static final Duration LONG_WAIT = Duration.ofSeconds(8);
    private static final Duration SHORT_WAIT = Duration.ofMillis(50);
    private static final int MOST_THINKING_MILLIS = 20;
    private static final int PAUSE_AFTER_ERROR_MILLIS = 50;
    /** A deadline that moved by less is the same one, seen at another moment. */
    private static final long SAME_DEADLINE_NANOS = 1_000_000;

    private final String name;
    private final Workload workload;
    private final Session session;
    private final EventLog log;
    private final AtomicLong ids;
    private final AtomicBoolean stop;
    private final Random random;
    private final int gatePort;
    private final long leaseMillis;
    private final long lookMillis;

    Taker(
            Worker.Order order,
            Workload workload,
            int number,
            Session session,
            EventLog log,
            AtomicLong ids,
            AtomicBoolean stop) {
        this.name = order.name();
        this.workload = workload;
        this.session = session;
        this.log = log;
        this.ids = ids;
        this.stop = stop;
        this.random = new Random(order.seed() * 31 + number);
        this.gatePort = order.gate();
        this.leaseMillis = order.lease().toMillis();
        this.lookMillis = Math.max(2, leaseMillis / 100);
    }

    @Override
    public void run() {
        try (Gate gate = new Gate(gatePort)) {
            while (!stop.get()) {
                once(gate);
                Thread.sleep(random.nextInt(MOST_THINKING_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void once(Gate gate) throws InterruptedException {
        Wish wish = wish();
        Duration wait = random.nextInt(8) == 0 ? SHORT_WAIT : LONG_WAIT;
        long id = ids.incrementAndGet();
        log.write(
                'Q',
                id,
                System.nanoTime(),
                wish.workload(),
                wish.mode(),
                String.join("+", wish.locks()),
                wish.permits(),
                wait.toNanos());
        Held held = take(wish, wait, id);
        if (held != null) {
            held.onLost(cause -> log.write('L', id, System.nanoTime(), cause));
            work(gate, wish, held, id);
            giveBack(held, id);
        }
    }

    private Wish wish() {
        return switch (workload) {
            case LOCK, FAIR -> new Wish(workload, Mode.ALONE, workload.locks(), 1);
            case READ_WRITE ->
                new Wish(workload, random.nextInt(3) == 0 ? Mode.ALONE : Mode.READING, workload.locks(), 1);
            case SEMAPHORE -> new Wish(workload, Mode.PERMITS, workload.locks(), 1 + random.nextInt(2));
            case SEVERAL -> {
                List<String> names = new ArrayList<>(workload.locks());
                Collections.shuffle(names, random);
                yield new Wish(workload, Mode.ALONE, names.subList(0, 2), 1);
            }
        };
    }

    private @Nullable Held take(Wish wish, Duration wait, long id) throws InterruptedException {
        try {
            Held held = session.take(wish, wait);
            long now = System.nanoTime();
            if (held == null) {
                log.write('T', id, now);
            } else {
                log.write(
                        'G',
                        id,
                        now,
                        held.tokens().stream().map(String::valueOf).collect(Collectors.joining("+")));
            }
            return held;
        } catch (RuntimeException e) {
            log.write('E', id, System.nanoTime(), word(e));
            Thread.sleep(PAUSE_AFTER_ERROR_MILLIS);
            return null;
        }
    }

    private void work(Gate gate, Wish wish, Held held, long id) throws InterruptedException {
        long end = System.nanoTime() + sectionMillis() * 1_000_000;
        long known = Long.MIN_VALUE;
        do {
            long until;
            try {
                until = held.validUntil();
            } catch (RuntimeException e) {
                log.write('X', id, System.nanoTime(), word(e));
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
            Thread.sleep(lookMillis);
            if (wish.mode() == Mode.ALONE && !write(gate, wish, held, id)) {
                log.write('F', id, System.nanoTime());
                return;
            }
        } while (System.nanoTime() - end < 0);
    }

    private boolean write(Gate gate, Wish wish, Held held, long id) {
        boolean accepted = true;
        for (int i = 0; i < wish.locks().size(); i++) {
            accepted &= gate.write(
                    wish.locks().get(i), name + ":" + id, held.tokens().get(i));
        }
        return accepted;
    }

    /** Mostly short; now and then so long that the lease has to be renewed. */
    private long sectionMillis() {
        int kind = random.nextInt(20);
        long most = kind < 15 ? leaseMillis / 50 : kind < 19 ? leaseMillis / 3 : leaseMillis * 3 / 2;
        return random.nextInt((int) Math.max(1, most));
    }

    private void giveBack(Held held, long id) {
        log.write('U', id, System.nanoTime());
        String result;
        try {
            result = String.valueOf(held.release());
        } catch (RuntimeException e) {
            result = "error";
        }
        log.write('R', id, System.nanoTime(), result);
    }

    private static String word(RuntimeException e) {
        return e.getClass().getSimpleName();
    }
}
