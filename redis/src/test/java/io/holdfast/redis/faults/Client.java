package io.holdfast.redis.faults;

import static java.util.Objects.requireNonNull;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client of a test, and what its listener heard. Each test's clients are closed by the {@link Rig}. */
final class Client implements LockListener, AutoCloseable {
    /** What a test has taken, whether it looks at it again or not: a lease that nobody can reach is renewed no more. */
    private final List<Lease> taken = new CopyOnWriteArrayList<>();

    private final List<Loss> losses = new CopyOnWriteArrayList<>();
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicInteger failedRenewals = new AtomicInteger();
    private @Nullable Holdfast locks;

    /** Made from a builder, so that the listener is there from the start. */
    static Client of(String uri, Consumer<Holdfast.Builder> settings) {
        Client client = new Client();
        Holdfast.Builder builder = Holdfast.builder().uri(uri).listener(client);
        settings.accept(builder);
        client.locks = builder.build();
        return client;
    }

    Holdfast locks() {
        return requireNonNull(locks);
    }

    DistributedLock lock(String name) {
        return locks().lock(name);
    }

    DistributedLock lock(String name, Duration lease) {
        return locks().lock(name, options -> options.lease(lease));
    }

    /** A lock whose lease ends by itself. */
    DistributedLock lockUnrenewed(String name, Duration lease) {
        return locks().lock(name, options -> options.lease(lease).renewal(false));
    }

    /** Takes a free lock. */
    Lease take(String name, Duration lease) {
        return keep(lock(name, lease).tryAcquire().orElseThrow());
    }

    /** Takes a free lock whose lease ends by itself. */
    Lease takeUnrenewed(String name, Duration lease) {
        return keep(lockUnrenewed(name, lease).tryAcquire().orElseThrow());
    }

    private Lease keep(Lease lease) {
        taken.add(lease);
        return lease;
    }

    /** Makes the connection for commands, so that what comes next does not have to. */
    Client connected() {
        Timing.until("it is connected", () -> {
            try {
                return lock("warm-up", Duration.ofSeconds(5))
                        .tryAcquire()
                        .map(Lease::release)
                        .orElse(false);
            } catch (StoreUnavailableException e) {
                // The time-outs of some tests are shorter than what a busy machine takes to connect.
                return false;
            }
        });
        return this;
    }

    /** Takes a free lock in the end, after a fault that is over: a busy machine may need more than one time-out for it. */
    void goesOn(String name) {
        Timing.until("the same client goes on", () -> {
            try {
                return lock(name).tryLock();
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
    }

    /** What was lost so far, in order. */
    List<Loss> losses() {
        return List.copyOf(losses);
    }

    int renewals() {
        return renewals.get();
    }

    int failedRenewals() {
        return failedRenewals.get();
    }

    @Override
    public void lost(Hold hold, Loss loss) {
        losses.add(loss);
    }

    @Override
    public void renewed(Hold hold, Duration lag) {
        renewals.incrementAndGet();
    }

    @Override
    public void renewalFailed(Hold hold, Duration remaining, Throwable reason) {
        failedRenewals.incrementAndGet();
    }

    @Override
    public void close() {
        locks().close();
    }
}
