package io.holdfast.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One client, one rival in the same store, and one call during which something happens. */
final class PointRun {
    static final Duration WAIT = Duration.ofSeconds(5);
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration EXTENSION = Duration.ofSeconds(40);
    /** The middle one of several; the rival takes only this. */
    private static final String NAME = "x";

    private static final List<String> NAMES = List.of("w", NAME, "y");
    private static final String RIVAL = "rival";

    final StepPlatform platform;
    final Engine engine;
    final DistributedLock lock;
    final NamedLatch latch;
    private final LockStore rival;
    private Platform.@Nullable Timer leaving;
    private boolean tookLock;

    @Nullable
    Lease lease;

    @Nullable
    Object value;

    @Nullable
    Throwable error;

    /** What is asked for. */
    enum Form {
        ONE,
        ALL,
        /** The store answers only for the first of those that it is asked for. */
        ALL_ONE_BY_ONE
    }

    private @Nullable PointStore store;

    PointRun(boolean callerMayBlock, Form form) {
        platform = new StepPlatform(callerMayBlock);
        StoreFactory shared = MemoryStore.isolated();
        engine = Engine.open(
                context -> store = new PointStore(shared.open(context), platform, form == Form.ALL_ONE_BY_ONE),
                "prefix:",
                Duration.ofSeconds(2),
                platform,
                List.of());
        LockOptions options = LockOptions.builder().lease(LEASE).build();
        List<NamedLock> locks = NAMES.stream()
                .map(name -> new NamedLock(engine, name, options, Share.WHOLE, Order.LINE))
                .toList();
        lock = form == Form.ONE ? locks.get(NAMES.indexOf(NAME)) : new JointLock(engine, locks);
        latch = new NamedLatch(engine, NAME, options);
        rival = shared.open(new StoreContext(RIVAL, "prefix:", Duration.ofSeconds(2), platform, new DeafEvents()));
        rival.latches().set(NAME, RIVAL, 1, Duration.ofDays(1));
    }

    /** Nobody stands in the way. */
    void rivalIsAway() {
        rival.latches().countDown(NAME, RIVAL, RIVAL);
    }

    /** Another client holds the lock, and has not opened the latch; it does both after a while if told to. */
    void rivalHolds(boolean leaves) {
        rival.acquire(new AcquireRequest(NAME, RIVAL, Duration.ofHours(1), false));
        if (leaves) {
            leaving = platform.schedule(500_000_000L, () -> {
                rival.release(NAME, RIVAL);
                rivalIsAway();
            });
        }
    }

    void call(PointCall call) {
        tookLock = call != PointCall.AWAIT;
        try {
            value = call.on(this);
        } catch (Throwable e) {
            error = e;
        }
        platform.disarm();
    }

    /** Whether the call has left the caller with the lock, as far as it was told. */
    boolean gotLock() {
        return error == null
                && (value instanceof Lease
                        || Boolean.TRUE.equals(value)
                        || (value instanceof Optional<?> found && found.isPresent()));
    }

    /** Gives back what the call has brought; true if it was protected to the end. */
    boolean giveBack() {
        if (value instanceof Lease held) {
            return held.release();
        }
        return value instanceof Optional<?> found ? ((Lease) found.orElseThrow()).release() : lock.unlock();
    }

    /** Nothing of this client is left: not in the store, not among those who wait, no task, no timer, no request. */
    void assertNothingLeft() {
        platform.settle();
        if (leaving != null) {
            leaving.cancel();
        }
        assertThat(locks())
                .as("what stands in the store")
                .allMatch(info ->
                        info.waiters().isEmpty() && info.owner().orElse(RIVAL).equals(RIVAL));
        rival.release(NAME, RIVAL);
        platform.settle();
        assertThat(locks()).as("what the rival leaves").isEmpty();
        assertThat(platform.isQuiet()).as("tasks left").isTrue();
        assertThat((Map<?, ?>) secret("waiting")).as("those who wait").isEmpty();
        assertThat(engine.lines().isEmpty()).as("no line left").isTrue();
        assertThat(engine.requests().underWay()).as("requests").isZero();
        // The watchdog's one timer is left standing, and goes off in vain.
        assertThat(platform.timers()).as("timers").isLessThanOrEqualTo(tookLock ? 1 : 0);
        if (!engine.isClosed()) {
            // A client that is closed need not say that it leaves: tickets end by themselves.
            assertThat(requireNonNull(store).atLatches())
                    .as("tickets at the latch")
                    .isEmpty();
        }
        platform.advance(2 * LEASE.toNanos());
        assertThat(platform.timers()).as("timers after a while").isZero();
        assertThat(locks()).as("what comes later").isEmpty();
        engine.close();
        assertThat(platform.isQuiet()).as("tasks left by closing").isTrue();
    }

    private List<LockInfo> locks() {
        return rival.inspect("*").toCompletableFuture().join();
    }

    private Object secret(String field) {
        try {
            var hidden = Engine.class.getDeclaredField(field);
            hidden.setAccessible(true);
            return hidden.get(engine);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
