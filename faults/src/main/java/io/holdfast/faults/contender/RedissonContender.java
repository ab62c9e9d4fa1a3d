package io.holdfast.faults.contender;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.DeletedObjectListener;
import org.redisson.api.ExpiredObjectListener;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/**
 * Redisson, with its watchdog set to the same lease and all else as it comes. It tells nobody of a loss, so the holder asks:
 * {@code isHeldByCurrentThread}, a round trip, as often as Holdfast's holder looks at its lease. Where there is a choice, the
 * safer lock is taken: {@code RFencedLock} for the plain one, {@code RPermitExpirableSemaphore} for permits, whose leases the
 * holder prolongs itself when it asks.
 */
final class RedissonContender implements Contender {
    private static final long IMPATIENT_MILLIS = 1_000;

    private final Variant variant;

    RedissonContender(Variant variant) {
        this.variant = variant;
    }

    /** A setting that may matter in one of the scenarios. */
    enum Variant {
        AS_IT_COMES("redisson", ""),
        /** Its fair lock gives a waiter that is silent five minutes by default. */
        IMPATIENT("redisson-impatient", "fairLockWaitTimeout 1 s"),
        /** By default a command that was not answered is sent again. */
        ONCE("redisson-once", "retryAttempts 0"),
        /** Has the server tell of keys that were deleted or have expired. */
        LISTENING("redisson-listening", "listeners for deletion and expiry, notify-keyspace-events on");

        private final String name;
        private final String text;

        Variant(String name, String text) {
            this.name = name;
            this.text = text;
        }
    }

    @Override
    public String name() {
        return variant.name;
    }

    @Override
    public String setting() {
        return variant.text;
    }

    @Override
    public String description() {
        return "Redisson " + Redisson.class.getPackage().getImplementationVersion()
                + ": RFencedLock, fair RLock, RReadWriteLock, RPermitExpirableSemaphore, RMultiLock, RCountDownLatch;"
                + " lockWatchdogTimeout as long as Holdfast's lease, all else by default";
    }

    @Override
    public Set<Workload> workloads(Topology topology) {
        return topology == Topology.QUORUM
                ? EnumSet.of(Workload.LOCK)
                : EnumSet.complementOf(EnumSet.of(Workload.ELECTION)); // there is none
    }

    @Override
    public boolean signalsLoss() {
        return false;
    }

    @Override
    public boolean mayStay(String key) {
        // The number of permits, which the application sets, and the counters of the tokens, one for each name.
        // And latches that nobody counted down to the end, which have no end of their own.
        return key.equals(Workload.SEMAPHORE.locks().get(0)) || key.contains("token") || key.contains("latch:");
    }

    @Override
    public Session open(Topology topology, List<String> addresses, Duration lease) {
        List<RedissonClient> clients = new ArrayList<>();
        for (Config config : configs(topology, addresses)) {
            config.setLockWatchdogTimeout(lease.toMillis());
            if (variant == Variant.IMPATIENT) {
                config.setFairLockWaitTimeout(IMPATIENT_MILLIS);
            }
            clients.add(Redisson.create(config));
        }
        RedissonClient first = clients.get(0);
        return new Session() {
            @Override
            public @Nullable Held take(Wish wish, Duration wait) throws InterruptedException {
                if (topology == Topology.QUORUM) {
                    return redLock(clients, wish.locks().get(0), wait);
                }
                Held held = RedissonContender.take(first, wish, wait, lease);
                return variant == Variant.LISTENING && held instanceof Locked locked ? new Listened(locked) : held;
            }

            @Override
            public Latches latches() {
                return new OfRedisson(first);
            }

            @Override
            public void close() {
                clients.forEach(RedissonClient::shutdown);
            }
        };
    }

    private List<Config> configs(Topology topology, List<String> hosts) {
        List<String> addresses = hosts.stream().map(host -> "redis://" + host).toList();
        Config config = new Config();
        switch (topology) {
            case SINGLE -> tune(config.useSingleServer().setAddress(addresses.get(0)));
            case SENTINEL ->
                tune(config.useSentinelServers()
                        .setMasterName("mymaster")
                        .addSentinelAddress(addresses.toArray(String[]::new)));
            case CLUSTER -> tune(config.useClusterServers().addNodeAddress(addresses.toArray(String[]::new)));
            case QUORUM -> {
                return addresses.stream()
                        .map(address -> {
                            Config each = new Config();
                            // Five clients in one process, of few threads: by default they would open 125 connections.
                            each.useSingleServer()
                                    .setAddress(address)
                                    .setConnectionMinimumIdleSize(1)
                                    .setConnectionPoolSize(8);
                            return each;
                        })
                        .toList();
            }
        }
        return List.of(config);
    }

    private void tune(BaseConfig<?> servers) {
        if (variant == Variant.ONCE) {
            servers.setRetryAttempts(0);
        }
    }

    @SuppressWarnings("deprecation") // it is what Redisson has for a quorum
    private static @Nullable Held redLock(List<RedissonClient> clients, String name, Duration wait)
            throws InterruptedException {
        List<RLock> members =
                clients.stream().map(client -> client.getLock(name)).toList();
        RLock all = clients.get(0).getRedLock(members.toArray(RLock[]::new));
        return all.tryLock(wait.toMillis(), -1, MILLISECONDS)
                ? new Locked(all, members, members.size() / 2 + 1, List.of(0L))
                : null;
    }

    private static @Nullable Held take(RedissonClient client, Wish wish, Duration wait, Duration lease)
            throws InterruptedException {
        String first = wish.locks().get(0);
        return switch (wish.workload()) {
            case LOCK -> {
                RFencedLock lock = client.getFencedLock(first);
                Long token = lock.tryLockAndGetToken(wait.toMillis(), MILLISECONDS);
                yield token == null ? null : new Locked(lock, List.of(lock), 1, List.of(token));
            }
            case FAIR -> locked(client.getFairLock(first), wait);
            case READ_WRITE ->
                locked(
                        wish.mode() == Mode.READING
                                ? client.getReadWriteLock(first).readLock()
                                : client.getReadWriteLock(first).writeLock(),
                        wait);
            case SEVERAL -> {
                List<RLock> members = wish.locks().stream().map(client::getLock).toList();
                RLock all = client.getMultiLock(members.toArray(RLock[]::new));
                yield all.tryLock(wait.toMillis(), -1, MILLISECONDS)
                        ? new Locked(
                                all,
                                members,
                                members.size(),
                                members.stream().map(any -> 0L).toList())
                        : null;
            }
            case SEMAPHORE -> permits(client.getPermitExpirableSemaphore(first), wish.permits(), wait, lease);
            case LATCH, ELECTION -> throw new IllegalArgumentException(wish + " is not taken");
        };
    }

    private static @Nullable Held locked(RLock lock, Duration wait) throws InterruptedException {
        if (wait.equals(Session.FOREVER)) {
            // One who waits for a time is given all of it by the fair lock, alive or not.
            lock.lock();
            return new Locked(lock, List.of(lock), 1, List.of(0L));
        }
        return lock.tryLock(wait.toMillis(), -1, MILLISECONDS) ? new Locked(lock, List.of(lock), 1, List.of(0L)) : null;
    }

    private static @Nullable Held permits(
            RPermitExpirableSemaphore semaphore, int permits, Duration wait, Duration lease)
            throws InterruptedException {
        // Each time, since a server that has lost its state knows no number of permits, and nobody gets one ever after.
        semaphore.trySetPermits(Workload.PERMITS);
        List<String> ids = semaphore.tryAcquire(permits, wait.toMillis(), lease.toMillis(), MILLISECONDS);
        return ids == null || ids.isEmpty() ? null : new Permits(semaphore, ids, lease);
    }

    private record OfRedisson(RedissonClient client) implements Latches {
        @Override
        public void set(String name, int count, Duration life) {
            client.getCountDownLatch(name).trySetCount(count);
        }

        @Override
        public void countDown(String name) {
            client.getCountDownLatch(name).countDown();
        }

        @Override
        public boolean await(String name, Duration wait) throws InterruptedException {
            return client.getCountDownLatch(name).await(wait.toMillis(), MILLISECONDS);
        }
    }

    /** As long as so many of its members are. */
    private record Locked(RLock lock, List<RLock> members, int needed, List<Long> tokens) implements Held {
        @Override
        public long validUntil() {
            long before = System.nanoTime();
            long held = members.stream().filter(RLock::isHeldByCurrentThread).count();
            return held >= needed ? before : NO;
        }

        @Override
        public boolean release() {
            try {
                lock.unlock();
                return true;
            } catch (IllegalMonitorStateException e) {
                return false;
            }
        }

        @Override
        public void onLost(Consumer<String> told) {}
    }

    /** Tells of the key's end, whoever brings it about; its own release too. */
    private record Listened(Locked it) implements Held {
        @Override
        public List<Long> tokens() {
            return it.tokens();
        }

        @Override
        public long validUntil() {
            return it.validUntil();
        }

        @Override
        public boolean release() {
            return it.release();
        }

        @Override
        public void onLost(Consumer<String> told) {
            it.lock().addListener((DeletedObjectListener) name -> told.accept("deleted"));
            it.lock().addListener((ExpiredObjectListener) name -> told.accept("expired"));
        }
    }

    private static final class Permits implements Held {
        private final RPermitExpirableSemaphore semaphore;
        private final List<String> ids;
        private final Duration lease;
        private long prolonged = System.nanoTime();

        Permits(RPermitExpirableSemaphore semaphore, List<String> ids, Duration lease) {
            this.semaphore = semaphore;
            this.ids = ids;
            this.lease = lease;
        }

        @Override
        public List<Long> tokens() {
            return List.of(0L);
        }

        @Override
        public long validUntil() {
            long before = System.nanoTime();
            if (before - prolonged < lease.toNanos() / 3) {
                return prolonged;
            }
            for (String id : ids) {
                if (!semaphore.updateLeaseTime(id, lease.toMillis(), MILLISECONDS)) {
                    return NO;
                }
            }
            prolonged = before;
            return before;
        }

        @Override
        public boolean release() {
            return semaphore.tryRelease(ids) == ids.size();
        }

        @Override
        public void onLost(Consumer<String> told) {}
    }
}
