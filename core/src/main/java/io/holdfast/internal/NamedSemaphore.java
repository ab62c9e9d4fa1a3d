package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A name, its permits and its options; everything else is the engine's. */
public final class NamedSemaphore implements DistributedSemaphore {
    private final Engine engine;
    private final String name;
    private final int permits;
    private final LockOptions options;

    public NamedSemaphore(Engine engine, String name, int permits, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.permits = check(name, permits);
        this.options = options;
    }

    private static int check(String name, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits " + permits + " is less than 1 (semaphore '" + name + "')");
        }
        return permits;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public int getPermits() {
        return permits;
    }

    /** What is asked for is what a lock is asked for, with a share of it. */
    private NamedLock share(int wanted) {
        if (wanted < 1 || wanted > permits) {
            throw new IllegalArgumentException("permits " + wanted + " is not between 1 and the " + permits
                    + " there are (semaphore '" + name + "')");
        }
        return new NamedLock(engine, name, options, Share.permits(wanted, permits), Order.QUEUE);
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        return acquire(1, wait);
    }

    @Override
    public Lease acquire(int wanted, Duration wait) throws InterruptedException {
        return share(wanted).acquire(wait);
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return tryAcquire(1);
    }

    @Override
    public Optional<Lease> tryAcquire(int wanted) {
        return share(wanted).tryAcquire();
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquire(1, wait);
    }

    @Override
    public Optional<Lease> tryAcquire(int wanted, Duration wait) throws InterruptedException {
        return share(wanted).tryAcquire(wait);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(int wanted, Duration wait) {
        return share(wanted).acquireAsync(wait);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(int wanted) {
        return share(wanted).tryAcquireAsync();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(int wanted, Duration wait) {
        return share(wanted).tryAcquireAsync(wait);
    }

    @Override
    public boolean setPermits(int number) {
        return engine.resize(name, check(name, number));
    }

    @Override
    public DistributedLock asLock(int wanted) {
        return share(wanted);
    }

    @Override
    public String toString() {
        return "DistributedSemaphore['" + name + "' of " + permits + " in " + engine.storeAddress() + "]";
    }
}
