package io.holdfast.faults.worker;

import io.holdfast.faults.contender.Latches;
import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread that counts latches down, or waits for them. What is to be done for a latch is left at the gate, which no fault
 * befalls, by whoever has set it; any thread of any process does the next. Who finds nothing to do sets the next latch.
 */
final class LatchUser implements Runnable {
    private static final Duration WAIT = Duration.ofSeconds(8);
    /** For as long as this a store that does not answer is asked again. */
    private static final Duration OUTAGE = Duration.ofSeconds(30);
    /** Longer than anybody could wait. */
    private static final Duration LIFE = Duration.ofSeconds(60);

    private static final String BOX = "latch:roles";
    private static final String DOWN = "down ";
    private static final String AWAIT = "await ";
    private static final int MOST_THINKING_MILLIS = 40;
    private static final int PAUSE_AFTER_ERROR_MILLIS = 50;

    private final Latches latches;
    private final EventLog log;
    private final AtomicLong ids;
    private final AtomicBoolean stop;
    private final Random random;
    private final String gateAddress;

    LatchUser(Worker.Order order, int number, Latches latches, EventLog log, AtomicLong ids, AtomicBoolean stop) {
        this.latches = latches;
        this.log = log;
        this.ids = ids;
        this.stop = stop;
        this.random = new Random(order.seed() * 31 + number);
        this.gateAddress = order.gate();
    }

    @Override
    public void run() {
        try (Gate gate = new Gate(gateAddress)) {
            while (!stop.get()) {
                Thread.sleep(random.nextInt(MOST_THINKING_MILLIS));
                Optional<String> role = gate.fetch(BOX);
                if (role.isEmpty()) {
                    set(gate);
                } else {
                    play(role.get());
                }
            }
            // Others wait for what is still to be counted down.
            for (Optional<String> rest = gate.fetch(BOX); rest.isPresent(); rest = gate.fetch(BOX)) {
                if (rest.get().startsWith(DOWN)) {
                    play(rest.get());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void play(String role) throws InterruptedException {
        String name = role.substring(role.indexOf(' ') + 1);
        if (role.startsWith(DOWN)) {
            ask(Mode.COUNTING, name, OUTAGE, () -> {
                latches.countDown(name);
                return true;
            });
        } else {
            ask(Mode.AWAITING, name, WAIT, () -> latches.await(name, WAIT));
        }
    }

    /** Only when it is set others hear of it: a latch that opened and was forgotten must not be set again. */
    private void set(Gate gate) throws InterruptedException {
        String name = Workload.LATCH.locks().get(0) + ":" + gate.number("latch:last");
        boolean done = ask(Mode.SETTING, name, OUTAGE, () -> {
            latches.set(name, Workload.COUNTS, LIFE);
            return true;
        });
        if (done) {
            // Those who wait come first, so that most of them do have to wait.
            List<String> roles = new ArrayList<>();
            for (int i = 0; i < Workload.COUNTS; i++) {
                roles.add(AWAIT + name);
                roles.add(DOWN + name);
            }
            gate.leave(BOX, roles);
        }
    }

    private boolean ask(Mode mode, String name, Duration wait, Callable<Boolean> call) throws InterruptedException {
        long id = ids.incrementAndGet();
        log.write('Q', id, System.nanoTime(), Workload.LATCH, mode, name, Workload.COUNTS, wait.toNanos());
        try {
            boolean done = call.call();
            if (done) {
                log.write('G', id, System.nanoTime(), 0);
            } else {
                log.write('T', id, System.nanoTime());
            }
            return done;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            log.write('E', id, System.nanoTime(), e.getClass().getSimpleName());
            Thread.sleep(PAUSE_AFTER_ERROR_MILLIS);
            return false;
        }
    }
}
