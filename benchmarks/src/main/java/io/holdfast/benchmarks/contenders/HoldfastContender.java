package io.holdfast.benchmarks.contenders;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holdfast with all defaults: watchdog and fencing are on. */
final class HoldfastContender implements Contender, LeaseKeeper {
    /** No lock() of ours gives up; a semaphore has none. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Primitive primitive;

    HoldfastContender(Primitive primitive) {
        this.primitive = primitive;
    }

    @Override
    public String name() {
        return primitive == Primitive.LOCK
                ? Contenders.OURS
                : Contenders.OURS + "-" + primitive.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String description() {
        return Contenders.jarOf(Holdfast.class) + ", " + primitive.text() + ", all defaults: watchdog, fencing"
                + (primitive == Primitive.QUORUM ? ", on five servers" : ", fair");
    }

    @Override
    public Set<Primitive> primitives() {
        return Set.of(primitive);
    }

    @Override
    public List<String> artifacts() {
        return List.of("io.holdfast:holdfast-redis");
    }

    @Override
    public Home home() {
        return primitive == Primitive.QUORUM ? Home.QUORUM : Home.REDIS;
    }

    @Override
    public Session open(String host, int port) {
        return session(Holdfast.connect(uri(host, port)));
    }

    @Override
    public Session openAll(String host, List<Integer> ports) {
        if (primitive != Primitive.QUORUM) {
            return open(host, ports.get(0));
        }
        return session(Holdfast.connect(
                ports.stream().map(port -> host + ":" + port).collect(joining(",", "redlock://", ""))));
    }

    private Session session(Holdfast client) {
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return lock(name, 1);
            }

            @Override
            public BenchLock lock(String name, int places) {
                return switch (primitive) {
                    case LOCK, QUORUM -> new Held(client.lock(name));
                    case FAIR -> new Held(client.fairLock(name));
                    case READ -> new Held(client.readWriteLock(name).readLock());
                    case WRITE -> new Held(client.readWriteLock(name).writeLock());
                    case PERMIT -> new Permit(client.semaphore(name, places));
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private static String uri(String host, int port) {
        return "redis://" + host + ":" + port;
    }

    private record Held(DistributedLock it) implements BenchLock {
        @Override
        public void lock() {
            it.lock();
        }

        @Override
        public void unlock() {
            if (!it.unlock()) {
                throw new IllegalStateException("the lease of " + it.getLockName() + " was lost");
            }
        }
    }

    private static final class Permit implements BenchLock {
        private final DistributedSemaphore it;
        private @Nullable Lease lease;

        Permit(DistributedSemaphore it) {
            this.it = it;
        }

        @Override
        public void lock() {
            try {
                lease = it.acquire(PATIENCE);
            } catch (InterruptedException e) {
                throw Interrupts.of(it.getName(), e);
            }
        }

        @Override
        public void unlock() {
            if (!requireNonNull(lease, "no permit").release()) {
                throw new IllegalStateException("the lease of " + it.getName() + " was lost");
            }
        }
    }

    @Override
    public Keeping keep(String host, int port, Duration lease) {
        LockOptions options = LockOptions.DEFAULT.toBuilder().lease(lease).build();
        Holdfast client =
                Holdfast.builder().uri(uri(host, port)).options(options).build();
        return new Keeping() {
            @Override
            public Object take(String name) {
                return client.lock(name)
                        .tryAcquire()
                        .orElseThrow(() -> new IllegalStateException(name + " is held by another"));
            }

            @Override
            public boolean release(Object taken) {
                return ((Lease) taken).release();
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }
}
