package io.holdfast;

import static java.util.Objects.requireNonNull;

import io.holdfast.internal.Engine;
import io.holdfast.internal.Here;
import io.holdfast.internal.JointLock;
import io.holdfast.internal.NamedElection;
import io.holdfast.internal.NamedLatch;
import io.holdfast.internal.NamedLock;
import io.holdfast.internal.NamedReadWriteLock;
import io.holdfast.internal.NamedSemaphore;
import io.holdfast.internal.Order;
import io.holdfast.internal.Stores;
import io.holdfast.internal.SystemPlatform;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Names;
import io.holdfast.spi.Origin;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client: connects to a store and hands out locks. One per process and store is enough. Thread safe.
 *
 * <pre>{@code
 * try (Holdfast locks = Holdfast.connect("redis://localhost:6379")) {
 *     DistributedLock lock = locks.lock("order:12345");
 * }
 * }</pre>
 *
 * <p>Closing it releases what it holds and ends every wait with an error. No thread of it keeps a JVM alive; what a JVM
 * leaves behind when it ends without closing goes with the lease.
 */
public final class Holdfast implements AutoCloseable {
    /** So many should fit into a lease. */
    private static final int LEAST_ROUND_TRIPS = 20;

    private final Engine engine;
    private final LockOptions defaults;

    private Holdfast(Engine engine, LockOptions defaults) {
        this.engine = engine;
        this.defaults = defaults;
    }

    /**
     * Connects to the store that the URI's scheme names, with all defaults. Whether a store is reached at once or at the
     * first use is the store's choice; the one on Redis connects at the first use.
     *
     * @param uri such as {@code redis://user:password@host:6379/0}, {@code rediss://…} or {@code memory:}
     * @throws IllegalArgumentException if no store on the class path knows the scheme, or the URI is malformed
     */
    public static Holdfast connect(String uri) {
        return builder().uri(uri).build();
    }

    /** For what {@link #connect} leaves at its default. */
    public static Builder builder() {
        return new Builder();
    }

    /** The lock of that name, with this client's options. */
    public DistributedLock lock(String name) {
        return new NamedLock(engine, Names.check(name), defaults, Share.WHOLE, Order.LINE);
    }

    /** The lock of that name, with this client's options changed by the given function. */
    public DistributedLock lock(String name, Consumer<LockOptions.Builder> changes) {
        return new NamedLock(engine, Names.check(name), changed(name, changes), Share.WHOLE, Order.LINE);
    }

    /**
     * The lock of that name, taken strictly first come, first served, among all threads of all processes that take it this
     * way: everybody stands in the store's queue, and the threads of a client pass it on among themselves only as they stand
     * there, one directly behind the other. It is the same lock as {@link #lock}, and slower under contention.
     *
     * @throws UnsupportedOperationException if the store does not serve in that order
     */
    public DistributedLock fairLock(String name) {
        return new NamedLock(engine.firstCome(), Names.check(name), defaults, Share.WHOLE, Order.STRICT);
    }

    /** As {@link #fairLock(String)}, with this client's options changed by the given function. */
    public DistributedLock fairLock(String name, Consumer<LockOptions.Builder> changes) {
        return new NamedLock(engine.firstCome(), Names.check(name), changed(name, changes), Share.WHOLE, Order.STRICT);
    }

    /**
     * Many readers or one writer under that name, with this client's options.
     *
     * @throws UnsupportedOperationException if the store cannot share locks
     */
    public DistributedReadWriteLock readWriteLock(String name) {
        return new NamedReadWriteLock(engine.sharing("read-write locks"), Names.check(name), defaults);
    }

    /** As {@link #readWriteLock(String)}, with this client's options changed by the given function. */
    public DistributedReadWriteLock readWriteLock(String name, Consumer<LockOptions.Builder> changes) {
        return new NamedReadWriteLock(engine.sharing("read-write locks"), Names.check(name), changed(name, changes));
    }

    /**
     * So many permits under that name, with this client's options.
     *
     * @throws UnsupportedOperationException if the store cannot share locks
     */
    public DistributedSemaphore semaphore(String name, int permits) {
        return new NamedSemaphore(engine.sharing("semaphores"), Names.check(name), permits, defaults);
    }

    /** As {@link #semaphore(String, int)}, with this client's options changed by the given function. */
    public DistributedSemaphore semaphore(String name, int permits, Consumer<LockOptions.Builder> changes) {
        return new NamedSemaphore(engine.sharing("semaphores"), Names.check(name), permits, changed(name, changes));
    }

    /**
     * A count-down latch of that name.
     *
     * @throws UnsupportedOperationException if the store has no latches
     */
    public DistributedLatch latch(String name) {
        return new NamedLatch(engine, Names.check(name), defaults);
    }

    /** An election under that name, with this client's options. */
    public Election election(String name) {
        return new NamedElection(engine, Names.check(name), defaults);
    }

    /** As {@link #election(String)}, with this client's options changed by the given function. */
    public Election election(String name, Consumer<LockOptions.Builder> changes) {
        return new NamedElection(engine, Names.check(name), changed(name, changes));
    }

    /**
     * All of these locks, taken together or not at all. They may be of any kind, and of this client only. Whoever takes several
     * takes them in the order of their names, so that two who want the same ones never wait for each other; a thread that
     * holds some of them already and asks for more is not protected in this way.
     *
     * <p>The lease is that of all of them: it is lost when the first of them is, and {@link Lease#token(String)} tells the
     * fencing token of each.
     *
     * @throws IllegalArgumentException if there are none, one is of another client, or one name is meant in two ways
     */
    public DistributedLock allOf(DistributedLock... locks) {
        return allOf(List.of(locks));
    }

    /** As {@link #allOf(DistributedLock...)}. */
    public DistributedLock allOf(Collection<? extends DistributedLock> locks) {
        return new JointLock(engine, locks);
    }

    private LockOptions changed(String name, Consumer<LockOptions.Builder> changes) {
        LockOptions.Builder options = defaults.toBuilder();
        try {
            requireNonNull(changes, "changes").accept(options);
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " (lock '" + name + "')", e);
        }
    }

    /**
     * Who holds and who waits, for every lock whose name matches. Reads the store, and changes nothing there.
     *
     * @param pattern a name, in which {@code *} stands for any characters
     */
    public List<LockInfo> inspect(String pattern) {
        return engine.inspect(requireNonNull(pattern, "pattern"));
    }

    /**
     * Takes a lock, or a share of it, from its holder, whatever that is doing: for people who know that it must be. Those who
     * wait for it go on at once. The holder learns that its lease is lost: at once if the store can tell it, or else at its next
     * renewal. Until then it goes on as if it held the lock, so whatever it writes to should check the fencing token.
     *
     * @param name the lock
     * @param owner the owner id of the holder, as {@link #inspect} tells it, so that nobody else loses the lock
     * @return false if that owner does not hold it any more; then nothing is changed
     * @throws StoreRefusedException if the holder is a client of another library
     */
    public boolean forceRelease(String name, String owner) {
        return engine.forceRelease(Names.check(name), requireNonNull(owner, "owner"));
    }

    /** Whether the store answers, and what about it weakens the locks. */
    public StoreHealth health() {
        StoreHealth health = engine.health();
        Duration lease = defaults.lease();
        if (!health.reachable() || health.roundTrip().compareTo(lease.dividedBy(LEAST_ROUND_TRIPS)) <= 0) {
            return health;
        }
        List<String> warnings = new ArrayList<>(health.warnings());
        warnings.add("a round trip to the store takes " + health.roundTrip().toMillis()
                + " ms, more than a twentieth of the lease of " + lease.toMillis()
                + " ms: a few slow answers in a row, and a lock that is held is lost; use a longer lease or a nearer"
                + " store");
        return new StoreHealth(true, health.roundTrip(), List.copyOf(warnings));
    }

    /** The store's address, without secrets. */
    public String store() {
        return engine.storeAddress();
    }

    /** Ends waits, releases what is held, then disconnects. Further calls do nothing. */
    @Override
    public void close() {
        engine.close();
    }

    @Override
    public String toString() {
        return "Holdfast[" + store() + "]";
    }

    /** Collects what a client needs. Not thread safe. */
    public static final class Builder {
        private @Nullable StoreFactory store;
        private LockOptions defaults = LockOptions.DEFAULT;
        private String keyPrefix = "distributed_lock:";
        private Duration commandTimeout = Duration.ofSeconds(2);
        private final List<LockListener> listeners = new ArrayList<>();
        private boolean places;
        private boolean holderInfo = true;
        private @Nullable String application;
        private @Nullable Platform platform;

        private Builder() {}

        /** The store, by URI. */
        public Builder uri(String uri) {
            return store(Stores.find(requireNonNull(uri, "uri")));
        }

        /** The store, as a backend module or the application makes it. */
        public Builder store(StoreFactory store) {
            this.store = requireNonNull(store, "store");
            return this;
        }

        /** What locks of this client behave like unless told otherwise. */
        public Builder options(LockOptions options) {
            this.defaults = requireNonNull(options, "options");
            return this;
        }

        /** What every key and channel in the store starts with; {@code distributed_lock:} by default. */
        public Builder keyPrefix(String keyPrefix) {
            this.keyPrefix = Names.checkPrefix(keyPrefix);
            return this;
        }

        /** How long one command to the store may take, from 10 ms to 1 min; 2 s by default. */
        public Builder commandTimeout(Duration commandTimeout) {
            requireNonNull(commandTimeout, "commandTimeout");
            if (commandTimeout.compareTo(Duration.ofMillis(10)) < 0
                    || commandTimeout.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new IllegalArgumentException(
                        "commandTimeout " + commandTimeout + " is not between 10 ms and 1 min");
            }
            this.commandTimeout = commandTimeout;
            return this;
        }

        /** Adds a listener; several are called in the order they were added. */
        public Builder listener(LockListener listener) {
            listeners.add(requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Whether to note where in the application each lock is asked for, so that the report of a lease that was never released
         * can name the place. Off by default: it costs a stack trace for each acquisition.
         */
        public Builder recordPlaces(boolean places) {
            this.places = places;
            return this;
        }

        /**
         * What this process is called, for those who look at its locks; by default what the JVM was started with.
         *
         * @param name up to 100 printable characters
         */
        public Builder application(String name) {
            this.application = new Origin("here", 0, requireNonNull(name, "name")).application();
            return this;
        }

        /**
         * Whether {@link Holdfast#inspect} tells others where this client runs: host, process id and application. On by
         * default. It costs one command when the client first asks for a lock, one every hundred seconds, and one when it is
         * closed, whatever the number of locks.
         */
        public Builder holderInfo(boolean told) {
            this.holderInfo = told;
            return this;
        }

        /** Time, threads and chance from elsewhere, for tests; it is closed with the client. */
        public Builder platform(Platform platform) {
            this.platform = requireNonNull(platform, "platform");
            return this;
        }

        /**
         * The client. Connects when it is first used.
         *
         * @throws IllegalStateException if no store was named
         */
        public Holdfast build() {
            if (store == null) {
                throw new IllegalStateException("no store given: call uri(…) or store(…)");
            }
            Platform ports = platform == null ? new SystemPlatform() : platform;
            try {
                Origin origin = holderInfo ? Here.origin(application) : null;
                return new Holdfast(
                        Engine.open(store, keyPrefix, commandTimeout, ports, listeners, places, origin), defaults);
            } catch (RuntimeException e) {
                ports.close();
                throw e;
            }
        }
    }
}
