package io.holdfast.benchmarks.contenders;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks, with their watchdog, on the default configuration for a single server. */
final class RedissonContender implements Contender, LeaseKeeper {
    private static final long THREAD = 1;
    private static final long PATIENCE_SECONDS = 20;

    private final Kind kind;

    /** The lock that is asked for. */
    enum Kind {
        PLAIN("redisson", "RLock with watchdog", "; neither fenced nor fair", Primitive.LOCK),
        FAIR("redisson-fair", "fair RLock with watchdog", "; not fenced", Primitive.FAIR),
        FENCED("redisson-fenced", "RFencedLock with watchdog", "; not fair", Primitive.LOCK),
        READ("redisson-read", "RReadWriteLock to read, with watchdog", "; neither fenced nor fair", Primitive.READ),
        WRITE("redisson-write", "RReadWriteLock to write, with watchdog", "; neither fenced nor fair", Primitive.WRITE),
        PERMIT(
                "redisson-permit",
                "RSemaphore",
                "; no leases at all: the permits of one that dies are gone; not fair",
                Primitive.PERMIT),
        LEASED(
                "redisson-leased",
                "RPermitExpirableSemaphore, leases of " + RedissonPermit.LEASE_SECONDS + " s",
                "; nobody renews them; not fair",
                Primitive.PERMIT);

        private final String text;
        private final String what;
        private final String lacks;
        private final Primitive primitive;

        Kind(String text, String what, String lacks, Primitive primitive) {
            this.text = text;
            this.what = what;
            this.lacks = lacks;
            this.primitive = primitive;
        }
    }

    RedissonContender(Kind kind) {
        this.kind = kind;
    }

    @Override
    public String name() {
        return kind.text;
    }

    @Override
    public String description() {
        return Contenders.jarOf(Redisson.class) + ", " + kind.what + ", default single server" + kind.lacks;
    }

    /** The fair one stands beside the plain locks as well, since ours is fair. */
    @Override
    public Set<Primitive> primitives() {
        return kind == Kind.FAIR ? Set.of(Primitive.LOCK, Primitive.FAIR) : Set.of(kind.primitive);
    }

    @Override
    public List<String> artifacts() {
        return List.of("org.redisson:redisson");
    }

    @Override
    public Session open(String host, int port) {
        return session(Redisson.create(config(host, port)));
    }

    @Override
    public Session openSmall(String host, int port) {
        Config config = config(host, port).setEventLoopGroup(Shared.LOOPS).setExecutor(Shared.EXECUTOR);
        config.useSingleServer()
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(2)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(1);
        return session(Redisson.create(config));
    }

    private static Config config(String host, int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + host + ":" + port);
        return config;
    }

    private Session session(RedissonClient client) {
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return lock(name, 1);
            }

            @Override
            public BenchLock lock(String name, int places) {
                return switch (kind) {
                    case PLAIN -> new JdkHeld(client.getLock(name));
                    case FAIR -> new JdkHeld(client.getFairLock(name));
                    case FENCED -> new Fenced(client.getFencedLock(name));
                    case READ -> new JdkHeld(client.getReadWriteLock(name).readLock());
                    case WRITE -> new JdkHeld(client.getReadWriteLock(name).writeLock());
                    case PERMIT -> RedissonPermit.unleased(client, name, places);
                    case LEASED -> RedissonPermit.leased(client, name, places);
                };
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    private record Fenced(RFencedLock it) implements BenchLock {
        @Override
        public void lock() {
            it.lockAndGetToken();
        }

        @Override
        public void unlock() {
            it.unlock();
        }
    }

    /** What many clients of one JVM share, so that each has no threads of its own. Made when first asked for. */
    private static final class Shared {
        static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(8, NioIoHandler.newFactory());
        static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(8, task -> {
            Thread thread = new Thread(task, "redisson-shared");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public Keeping keep(String host, int port, Duration lease) {
        RedissonClient client = Redisson.create(config(host, port).setLockWatchdogTimeout(lease.toMillis()));
        return new Keeping() {
            // Names the thread, as one thread holds them all.
            @Override
            public Object take(String name) {
                RLock lock = client.getLock(name);
                await(lock.lockAsync(-1, TimeUnit.MILLISECONDS, THREAD));
                return lock;
            }

            @Override
            public boolean release(Object taken) {
                try {
                    await(((RLock) taken).unlockAsync(THREAD));
                    return true;
                } catch (CompletionException e) {
                    if (e.getCause() instanceof IllegalMonitorStateException) {
                        return false;
                    }
                    throw e;
                }
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    /** Not for ever: with very many leases, some calls were seen to get no answer at all. */
    private static void await(RFuture<Void> answer) {
        try {
            answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a measurement", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new CompletionException(e instanceof ExecutionException ? e.getCause() : e);
        }
    }
}
