package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Several locks of one client that are taken together. */
public final class JointLock extends LockForms<List<HeldLease>> {
    private static final int SHOWN = 3;

    private final List<NamedLock> members;
    private final String name;

    /**
     * All of these.
     *
     * @throws IllegalArgumentException if there are none, one is of another client, or one name is meant in two ways
     */
    public JointLock(Engine engine, Collection<? extends DistributedLock> locks) {
        super(engine);
        // Everybody takes them in the order of their names.
        Map<String, NamedLock> sorted = new TreeMap<>();
        locks.forEach(lock -> add(lock, sorted));
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("allOf() was given no lock");
        }
        this.members = List.copyOf(sorted.values());
        this.name = members.stream().limit(SHOWN).map(NamedLock::getLockName).collect(Collectors.joining(" + "))
                + (members.size() > SHOWN ? " and " + (members.size() - SHOWN) + " more" : "");
    }

    private void add(DistributedLock lock, Map<String, NamedLock> sorted) {
        if (lock instanceof JointLock joint && joint.engine == engine) {
            joint.members.forEach(member -> add(member, sorted));
        } else if (lock instanceof NamedLock named && named.engine == engine) {
            NamedLock same = sorted.putIfAbsent(named.getLockName(), named);
            if (same != null && !same.share().equals(named.share())) {
                throw new IllegalArgumentException("lock '" + named.getLockName() + "' is given to allOf() twice, as "
                        + same.share().kind() + " and as " + named.share().kind());
            }
        } else {
            throw new IllegalArgumentException(
                    "lock '" + lock.getLockName() + "' is not one of this client, so allOf() cannot take it");
        }
    }

    @Override
    public String getLockName() {
        return name;
    }

    // --- bound to the thread

    @Override
    boolean reenter() {
        List<NamedLock> entered = new ArrayList<>();
        boolean refused = true;
        try {
            for (NamedLock member : members) {
                if (member.reenter()) {
                    entered.add(member);
                }
            }
            refused = false;
        } finally {
            if (refused) {
                entered.forEach(NamedLock::unlock);
            }
        }
        return entered.size() == members.size();
    }

    @Override
    void leave() {
        members.stream().filter(NamedLock::isTakenByThisThread).forEach(NamedLock::unlock);
    }

    @Override
    public boolean unlock() {
        if (!missing().isEmpty()) {
            return false;
        }
        List<HeldLease> last = new ArrayList<>();
        boolean safe = true;
        for (NamedLock member : members) {
            safe &= member.unlock(last::add);
        }
        return engine.endings().release(last) && safe;
    }

    @Override
    public int getHoldCount() {
        return members.stream().mapToInt(NamedLock::getHoldCount).min().orElse(0);
    }

    @Override
    List<HeldLease> heldByThisThread() {
        List<HeldLease> held = new ArrayList<>();
        for (NamedLock member : members) {
            List<HeldLease> one = member.heldByThisThread();
            if (one.isEmpty()) {
                return List.of();
            }
            held.addAll(one);
        }
        return held;
    }

    // --- asking

    @Override
    Attempt<List<HeldLease>> attempt(@Nullable Duration lease, @Nullable Object thread, long waitNanos, Caller caller) {
        List<NamedLock> missing = thread == null ? members : missing();
        return engine.acquire(new Gathering.Members(missing, lease, thread, waitNanos), caller);
    }

    /** Those that this thread does not have yet. */
    private List<NamedLock> missing() {
        return members.stream().filter(member -> !member.isTakenByThisThread()).toList();
    }

    @Override
    String firstName() {
        return members.get(0).getLockName();
    }

    @Override
    Attempt<List<HeldLease>> attemptAsync(long waitNanos) {
        return engine.acquireAsync(new Gathering.Members(members, null, null, waitNanos));
    }

    @Override
    void hold(List<HeldLease> taken) {
        // The rest has been re-entered, and these are in the same order.
        List<NamedLock> missing = missing();
        for (int i = 0; i < taken.size(); i++) {
            missing.get(i).hold(taken.get(i));
        }
    }

    @Override
    Lease handle(List<HeldLease> taken) {
        return new JointLease(engine, name, taken);
    }

    @Override
    void giveBack(List<HeldLease> taken) {
        engine.endings().releaseInBackground(taken);
    }

    @Override
    List<HeldLease> leases(List<HeldLease> taken) {
        return taken;
    }

    @Override
    List<HeldLease> lostBeforeSeen(List<HeldLease> taken) {
        // All of them are looked at before the first counts as seen: its thread is not to be interrupted for what goes
        // back.
        if (taken.stream().allMatch(engine::isValid) && taken.stream().allMatch(HeldLease::isSeen)) {
            return List.of();
        }
        return taken.stream().filter(lease -> !engine.isValid(lease)).toList();
    }

    @Override
    public String toString() {
        return "DistributedLock[all of " + name + " in " + engine.storeAddress() + "]";
    }
}
