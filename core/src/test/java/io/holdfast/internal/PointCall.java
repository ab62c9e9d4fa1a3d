package io.holdfast.internal;

import static io.holdfast.internal.PointRun.WAIT;
import static java.util.Objects.requireNonNull;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The blocking calls. What they return says whether the caller holds the lock afterwards. */
enum PointCall {
    TRY_LOCK(true, false, run -> run.lock.tryLock(WAIT)),
    TRY_LOCK_WITH_LEASE(true, false, run -> run.lock.tryLock(WAIT.toSeconds(), 30, TimeUnit.SECONDS)),
    LOCK_INTERRUPTIBLY(true, false, run -> {
        run.lock.lockInterruptibly();
        return true;
    }),
    ACQUIRE(true, false, run -> run.lock.acquire(WAIT)),
    TRY_ACQUIRE(true, false, run -> run.lock.tryAcquire(WAIT)),
    LOCK(false, false, run -> {
        run.lock.lock();
        return true;
    }),
    TRY_LOCK_ONCE(false, false, run -> run.lock.tryLock()),
    TRY_ACQUIRE_ONCE(false, false, run -> run.lock.tryAcquire()),
    UNLOCK(false, true, run -> {
        run.lock.unlock();
        return false;
    }),
    RELEASE(false, true, run -> {
        requireNonNull(run.lease).release();
        return false;
    }),
    CLOSE(false, true, run -> {
        requireNonNull(run.lease).close();
        return false;
    }),
    EXTEND(false, true, run -> {
        requireNonNull(run.lease).extend(PointRun.EXTENSION);
        return run.lease;
    }),
    /** Of a latch; nothing is held afterwards. */
    AWAIT(true, false, run -> run.latch.await(WAIT) ? "open" : "closed"),
    CLOSE_CLIENT(false, true, run -> {
        run.engine.close();
        return false;
    });

    /** What is called. */
    interface Body {
        @Nullable
        Object on(PointRun run) throws Exception;
    }

    final boolean interruptible;
    /** Needs a lock that is held; the others take one. */
    final boolean needsHold;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Body body;

    PointCall(boolean interruptible, boolean needsHold, Body body) {
        this.interruptible = interruptible;
        this.needsHold = needsHold;
        this.body = body;
    }

    @Nullable
    Object on(PointRun run) throws Exception {
        return body.on(run);
    }

    void prepare(PointRun run) throws InterruptedException {
        if (this == UNLOCK) {
            run.lock.tryLock();
        } else if (needsHold) {
            run.lease = run.lock.acquire(WAIT);
        }
    }
}
