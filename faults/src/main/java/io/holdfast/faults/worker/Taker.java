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

/** A thread that takes, works and gives back, again and again. */
final class Taker implements Runnable {
    private static final Duration LONG_WAIT = Duration.ofSeconds(8);
    private static final Duration SHORT_WAIT = Duration.ofMillis(50);
    private static final int MOST_THINKING_MILLIS = 20;
    private static final int PAUSE_AFTER_ERROR_MILLIS = 50;

    private final Worker.Order order;
    private final Workload workload;
    private final Session session;
    private final EventLog log;
    private final AtomicLong ids;
    private final AtomicBoolean stop;
    private final Random random;

    Taker(
            Worker.Order order,
            Workload workload,
            int number,
            Session session,
            EventLog log,
            AtomicLong ids,
            AtomicBoolean stop) {
        this.order = order;
        this.workload = workload;
        this.session = session;
        this.log = log;
        this.ids = ids;
        this.stop = stop;
        this.random = new Random(order.seed() * 31 + number);
    }

    @Override
    public void run() {
        try (Gate gate = new Gate(order.gate())) {
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
            new Section(log, order, gate, random).work(held, id, wish.locks(), wish.mode() == Mode.ALONE);
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
            case LATCH, ELECTION -> throw new IllegalStateException(workload + " is not taken");
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
