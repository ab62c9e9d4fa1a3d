package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.spi.LockStore;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks into the engine without disturbing it: the public look at a lease after its deadline would declare it lost. */
public final class Peek {
    private static final Field WAITING = field(Engine.class, "waiting");
    private static final Field WATCHDOG = field(Engine.class, "watchdog");
    private static final Field STORE = field(Engine.class, "store");
    private static final Field LINES = field(Lines.class, "lines");
    private static final Field PROCESSIONS = field(Lines.class, "processions");
    private static final Field CLIENT_ID = field(Engine.class, "clientId");
    private static final Field LEASES = field(JointLease.class, "leases");
    private static final Field LEASE = field(LeaseHandle.class, "lease");

    /** For so long a thread may take a lock again before those of its client who wait. */
    public static final long TURN_NANOS = Line.TURN_NANOS;

    /** The same, before those who stand behind it in the store's queue. */
    public static final long TURN_IN_ROW_NANOS = Procession.TURN_NANOS;

    private Peek() {}

    /** A lease as its engine sees it. */
    public static final class Belief {
        private final HeldLease lease;

        Belief(HeldLease lease) {
            this.lease = lease;
        }

        public String name() {
            return lease.name();
        }

        public String owner() {
            return lease.owner();
        }

        public long token() {
            return lease.token();
        }

        /** Whether the thread that had the other gave it up, and took this in its place before anybody else had it. */
        public boolean isTakenAgainAfter(Belief other) {
            // Of a handle it is not known who asked for it: that may have been a worker, for somebody else.
            Object thread = lease.thread();
            return thread != null && thread == other.lease.thread() && other.lease.heir() == lease;
        }

        /** When it was obtained, by the clock of its client. */
        public long acquiredNanos() {
            return lease.acquiredNanos;
        }

        /** When what the store last said of it was asked for, or granted unasked, by the clock of its client. */
        public long sinceNanos() {
            return lease.validity().sinceNanos();
        }

        public boolean isHeld() {
            return lease.phase() == HeldLease.Phase.HELD;
        }

        public boolean isLost() {
            return lease.phase() == HeldLease.Phase.LOST;
        }

        /** Whether it was renewed although it had been held for as long as it may. */
        public boolean isHeldTooLong(long nowNanos) {
            long most =
                    lease.options.maxHold().map(limit -> 2 * limit.toNanos()).orElse(Long.MAX_VALUE);
            // A handle may be extended by hand for as long as one likes.
            return lease.thread() != null && nowNanos - lease.acquiredNanos > most;
        }

        /**
         * When it is to be renewed next, by the clock of its client; never if it is not, or perhaps not any more. What is lent
         * for a moment is renewed before that.
         */
        public long renewalNanos() {
            long length = lease.options.lease().toNanos();
            return lease.options.renewal() && lease.options.maxHold().isEmpty()
                    ? lease.validity().untilNanos()
                            - length
                            + HeldLease.Validity.allowance(lease.options.lease())
                            + length / 3
                    : Long.MAX_VALUE;
        }

        public long remainingNanos(long nowNanos, long wallMillis) {
            return lease.validity().remainingNanos(nowNanos, wallMillis);
        }
    }

    /** What the calling thread holds under that lock's name; null if nothing. */
    public static @Nullable Belief heldHere(NamedLock lock) {
        List<HeldLease> held = lock.heldByThisThread();
        return held.isEmpty() ? null : new Belief(held.get(0));
    }

    public static Belief of(Lease handle) {
        return new Belief((HeldLease) get(LEASE, handle));
    }

    /** What a lease of several is made of. */
    @SuppressWarnings("unchecked") // as the field is declared
    public static List<Belief> allOf(Lease handle) {
        return ((List<HeldLease>) get(LEASES, handle)).stream().map(Belief::new).toList();
    }

    /** The ids under which somebody waits. */
    @SuppressWarnings("unchecked") // as the field is declared
    public static Set<String> waiting(Engine engine) {
        return ((Map<String, ?>) get(WAITING, engine)).keySet();
    }

    /** Whom a lock of the store's queue was passed on to within the client, and whose tickets are not taken back yet. */
    @SuppressWarnings("unchecked") // as the field is declared
    public static List<String> served(Engine engine, String name) {
        Procession procession = ((Map<String, Procession>) get(PROCESSIONS, engine.lines())).get(name);
        return procession == null ? List.of() : procession.served();
    }

    /**
     * As who in the store's queue somebody has what the store has given to that owner; null if it was not given to one behind
     * whom others of the client might stand.
     */
    @SuppressWarnings("unchecked") // as the field is declared
    public static @Nullable String heldAs(Engine engine, Belief belief) {
        Procession procession = ((Map<String, Procession>) get(PROCESSIONS, engine.lines())).get(belief.name());
        return procession == null ? null : procession.heldAs(belief.owner());
    }

    /** Takes a lock from that owner by force, without another look at who holds it. */
    public static boolean expel(Engine engine, String name, String owner) {
        LockStore store = (LockStore) get(STORE, engine);
        return engine.ask(name, () -> store.expel(name, owner));
    }

    /** Whether others of that client wait for a lock that one of them may have. */
    public static boolean isContended(Engine engine, String name) {
        Object line = ((Map<?, ?>) get(LINES, engine.lines())).get(name);
        return (line instanceof Line several && several.waiting() > 0)
                || ((Map<?, ?>) get(PROCESSIONS, engine.lines())).containsKey(name);
    }

    public static int underWay(Engine engine) {
        return engine.requests().underWay();
    }

    /** Whether somebody of that client holds or wants the lock. */
    public static boolean hasLine(Engine engine, String name) {
        return engine.lines().has(name);
    }

    public static boolean hasLines(Engine engine) {
        return !engine.lines().isEmpty();
    }

    public static int held(Engine engine) {
        return ((Watchdog) get(WATCHDOG, engine)).held().size();
    }

    /** Whether the one who talks to the store was told by it that another holds the lock, and does not wait for an answer. */
    public static boolean isRefused(Engine engine, String name) {
        Acquisition leader = engine.lines().leader(name);
        if (leader == null) {
            return false;
        }
        Standing known = leader.standing();
        return known.answered()
                && known.failure() == null
                && (!known.asking() || engine.platform().nanoTime() - known.askingSince() < 100_000_000L);
    }

    /** Whether a thread of that client has the lock, also one that is about to keep it to read, and is not watched meanwhile. */
    public static boolean holdsLock(Engine engine, String name) {
        HeldLease holder = engine.lines().holder(name);
        if (holder != null
                && holder.remainingNanos(
                                engine.platform().nanoTime(), engine.platform().wallMillis())
                        > 0) {
            return true;
        }
        return ((Watchdog) get(WATCHDOG, engine))
                .held().stream().anyMatch(lease -> lease.name().equals(name));
    }

    public static boolean holds(Engine engine, String owner) {
        return ((Watchdog) get(WATCHDOG, engine))
                .held().stream().anyMatch(lease -> lease.owner().equals(owner));
    }

    public static String clientId(Engine engine) {
        return (String) get(CLIENT_ID, engine);
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(type + " has no field " + name, e);
        }
    }

    private static Object get(Field field, Object from) {
        try {
            return field.get(from);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
