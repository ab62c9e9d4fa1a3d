package io.holdfast.cli;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One program under one lock. It ends in one of three ways: the program ends, the lease is lost, or a signal arrives. A
 * signal starts the JVM's shutdown, so its work is done in a shutdown hook, and the JVM itself ends with 128 + n.
 */
final class GuardedRun {
    private static final Duration LONGEST_RELEASE = Duration.ofSeconds(10);

    private final Holdfast client;
    private final DistributedLock lock;
    private final @Nullable Duration wait;
    private final RunCommand.OnLoss onLoss;
    private final Duration grace;

    private final CountDownLatch finished = new CountDownLatch(1);
    private @Nullable Child child;
    private @Nullable Lease lease;
    private boolean lost;
    /** The program has ended of itself, and the lock is being released. */
    private boolean ended;
    /** A signal has come; its hook does the rest. */
    private boolean signalled;

    /** @param wait how long to wait for the lock; zero: one try; null: as long as it takes */
    GuardedRun(
            Holdfast client, DistributedLock lock, @Nullable Duration wait, RunCommand.OnLoss onLoss, Duration grace) {
        this.client = client;
        this.lock = lock;
        this.wait = wait;
        this.onLoss = onLoss;
        this.grace = grace;
    }

    /** Returns the exit code. */
    int run(List<String> program) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::signalled, "holdfast-signal"));
        try {
            Lease obtained = obtain();
            Child started = start(program, obtained);
            obtained.lost().thenAccept(loss -> lost(loss, started));
            int code = started.await();
            return end(obtained, started, code);
        } catch (RuntimeException e) {
            if (isSignalled()) {
                return ExitCode.UNAVAILABLE; // nobody sees it: the signal decides
            }
            throw e;
        } finally {
            finish();
        }
    }

    private void finish() {
        synchronized (this) {
            if (signalled) {
                return; // the hook closes the client, after it has released the lock
            }
            ended = true;
        }
        client.close();
        finished.countDown();
    }

    private Lease obtain() throws InterruptedException {
        long start = System.nanoTime();
        RuntimeException refusal;
        try {
            Optional<Lease> now = lock.tryAcquire();
            if (now.isPresent()) {
                return now.get();
            }
            refusal = notObtained();
        } catch (StoreUnavailableException e) {
            refusal = e;
        }
        Duration left = wait == null ? ChronoUnit.FOREVER.getDuration() : wait.minusNanos(System.nanoTime() - start);
        if (left.isNegative() || left.isZero()) {
            throw refusal;
        }
        if (refusal instanceof StoreUnavailableException) {
            // Otherwise a mistyped address would be met with a long silence.
            Duration patience = wait == null ? LockOptions.DEFAULT.outageLimit() : wait;
            Stderr.say(refusal.getMessage() + "; trying on for " + DurationText.of(patience));
        }
        return lock.tryAcquire(left).orElseThrow(this::notObtained);
    }

    private Failure notObtained() {
        String time = wait == null || wait.isZero() ? "at once" : "within " + DurationText.of(wait);
        return new Failure(
                ExitCode.TIMEOUT, "lock '" + lock.getLockName() + "' was not obtained " + time + ": another holds it");
    }

    private synchronized Child start(List<String> program, Lease obtained) {
        lease = obtained;
        if (signalled) {
            throw new Failure(ExitCode.UNAVAILABLE, "stopped by a signal");
        }
        Child started = Child.start(program, lock.getLockName(), obtained.token());
        child = started;
        return started;
    }

    private void lost(Loss loss, Child running) {
        synchronized (this) {
            if (ended || signalled) {
                return;
            }
            lost = true;
        }
        boolean stops = onLoss == RunCommand.OnLoss.TERMINATE;
        Stderr.say("lock '" + lock.getLockName() + "' was lost: " + loss.detail() + "; the command is "
                + (stops ? "being stopped" : "running on without it"));
        if (stops) {
            running.stop(grace);
        }
    }

    /** The program has ended. */
    private int end(Lease obtained, Child finished, int code) {
        boolean stopping;
        synchronized (this) {
            if (signalled) {
                return code;
            }
            ended = true;
            stopping = lost && onLoss == RunCommand.OnLoss.TERMINATE;
        }
        if (stopping) {
            finished.stop(grace); // waits for those of its descendants that are still being stopped
            return ExitCode.LOST;
        }
        try {
            obtained.close();
            return code;
        } catch (LeaseLostException e) {
            if (!lost) {
                Stderr.say(e.getMessage() + "; the command has ended with " + code);
            }
            return onLoss == RunCommand.OnLoss.TERMINATE ? ExitCode.LOST : code;
        }
    }

    private void signalled() {
        Child running;
        Lease held;
        boolean over;
        synchronized (this) {
            over = ended;
            signalled = !over;
            running = child;
            held = lease;
        }
        if (over) {
            awaitFinish(); // the JVM ends when this hook does, and the release must not be cut short
            return;
        }
        if (running != null) {
            running.stop(grace);
        }
        if (held != null) {
            held.release();
        }
        client.close();
    }

    private void awaitFinish() {
        try {
            if (!finished.await(LONGEST_RELEASE.toSeconds(), TimeUnit.SECONDS)) {
                Stderr.say("lock '" + lock.getLockName() + "' could not be released, and ends with its lease");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isSignalled() {
        return signalled;
    }
}
