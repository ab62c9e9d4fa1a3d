package io.holdfast.spring;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.OnLoss;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * Takes the locks of calls, and knows which of them the calling thread has already. The leases themselves belong to no thread,
 * so that a result that ends elsewhere can take them along; that a thread goes on with what it has is counted here.
 *
 * <p>Thread safe.
 */
final class Sections {
    private final Supplier<Holdfast> locks;
    private final BeanFactory beans;
    private final @Nullable OnLoss onLoss;
    private final ThreadHolds ofThread;
    private final @Nullable Ties transactions;

    Sections(
            Supplier<Holdfast> locks,
            BeanFactory beans,
            @Nullable OnLoss onLoss,
            ThreadHolds ofThread,
            @Nullable Ties transactions) {
        this.locks = locks;
        this.beans = beans;
        this.onLoss = onLoss;
        this.ofThread = ofThread;
        this.transactions = transactions;
    }

    /** What else a hold may have to outlast. */
    interface Ties {
        /** Keeps these until the transaction has ended in which this thread is; if it is in none, does nothing. */
        void tie(List<Hold> holds);
    }

    /**
     * What a call still has to take.
     *
     * @param around what calls around it have
     * @param lock the rest; null if nothing is left
     */
    record Plan(
            LockedMethod method,
            Set<Hold> around,
            @Nullable DistributedLock lock,
            Map<String, LockedMethod.Share> shares) {}

    /**
     * Which locks a call wants, and which of them it has.
     *
     * @throws IllegalStateException if it has one in a way that does not give what it wants
     */
    Plan plan(LockedMethod method, Object target, @Nullable Object[] arguments, Map<String, Hold> held) {
        Holdfast client = locks.get();
        Set<Hold> around = new LinkedHashSet<>();
        List<DistributedLock> missing = new ArrayList<>();
        Map<String, LockedMethod.Share> shares = new HashMap<>();
        for (LockedMethod.Wanted wanted : method.wanted()) {
            String name = wanted.name().value(target, arguments, beans);
            Hold hold = held.get(name);
            if (hold == null) {
                missing.add(wanted.lock(client, name));
                shares.putIfAbsent(name, wanted.share());
                continue;
            }
            LockedMethod.Share has = hold.shares().get(name);
            if (has == null || !has.covers(wanted.share())) {
                throw new IllegalStateException("lock '" + name + "' is held in another way by a call around "
                        + LockedMethod.describe(method.method())
                        + ": who reads cannot go on to write, and a semaphore is no lock; take in the outer call what the"
                        + " inner one needs");
            }
            around.add(hold);
        }
        DistributedLock lock = null;
        if (!missing.isEmpty()) {
            lock = missing.size() == 1 ? missing.get(0) : client.allOf(missing);
        }
        return new Plan(method, around, lock, shares);
    }

    /** Takes what a call needs, waiting on this thread; empty if it is to be skipped. */
    Optional<Section> enter(LockedMethod method, Object target, @Nullable Object[] arguments)
            throws InterruptedException {
        Plan plan = plan(method, target, arguments, ofThread.byName());
        for (Hold hold : plan.around()) {
            hold.lease().ensureValid();
        }
        Hold own = null;
        if (plan.lock() != null) {
            Optional<Lease> lease = acquire(method, plan.lock());
            if (lease.isEmpty()) {
                return Optional.empty();
            }
            own = keep(plan, lease.get());
        }
        Section section = section(plan, own);
        if (transactions != null) {
            try {
                transactions.tie(section.holds());
            } catch (RuntimeException | Error e) {
                section.endAfter(e);
                throw e;
            }
        }
        return Optional.of(section);
    }

    private static Optional<Lease> acquire(LockedMethod method, DistributedLock lock) throws InterruptedException {
        return method.skips() ? lock.tryAcquire(method.longestWait()) : Optional.of(lock.acquire(method.longestWait()));
    }

    private Hold keep(Plan plan, Lease lease) {
        Map<String, Hold> home = ofThread.home();
        Hold hold = hold(plan, lease, left -> ofThread.remove(home, left));
        plan.shares().keySet().forEach(name -> home.put(name, hold));
        if (onLoss == OnLoss.INTERRUPT) {
            hold.interruptOnLoss();
        }
        return hold;
    }

    static Hold hold(Plan plan, Lease lease, Consumer<Hold> onLeftHome) {
        return new Hold(lease, plan.shares(), plan.method().atLeast(), onLeftHome);
    }

    /**
     * Enters what calls around have, beside what was taken.
     *
     * @param own what was taken; given back if this fails
     * @throws IllegalStateException if those around ended while the rest was waited for, as a transaction does that is rolled
     *     back by another thread
     */
    static Section section(Plan plan, @Nullable Hold own) {
        List<Hold> entered = new ArrayList<>();
        for (Hold hold : plan.around()) {
            if (!hold.enter()) {
                IllegalStateException gone = new IllegalStateException("what held lock '"
                        + hold.lease().lockName() + "' around "
                        + LockedMethod.describe(plan.method().method()) + " ended before that had all of its locks");
                new Section(entered, own).endAfter(gone);
                throw gone;
            }
            entered.add(hold);
        }
        return new Section(entered, own);
    }

    /** What is in {@code first}, and what the hold has. */
    static Map<String, Hold> with(Map<String, Hold> first, Hold hold) {
        Map<String, Hold> all = new LinkedHashMap<>(first);
        hold.shares().keySet().forEach(name -> all.put(name, hold));
        return all;
    }
}
