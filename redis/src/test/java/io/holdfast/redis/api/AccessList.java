package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.LeastRights;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;

/** The least that a user of Redis must be allowed, and a user who is allowed that. */
final class AccessList {
    private static final LeastRights LEAST = LeastRights.of("redis://127.0.0.1:6379", "distributed_lock:");

    static final List<String> COMMANDS = LEAST.commands();

    private final RedisServer redis;

    AccessList(RedisServer redis) {
        this.redis = redis;
        // So that the text of a script has to be sent.
        redis.command("SCRIPT", "FLUSH");
        redis.command("CONFIG", "RESETSTAT");
        redis.command("ACL", "LOG", "RESET");
    }

    void allow(List<String> commands) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">sesame"));
        command.addAll(LEAST.scope());
        command.addAll(commands);
        redis.command(command.toArray(String[]::new));
    }

    /** What users were denied: commands, keys and channels. */
    static Set<String> denied(RedisServer redis) {
        Set<String> denied = new TreeSet<>();
        for (Object entry : (List<?>) requireNonNull(redis.command("ACL", "LOG"))) {
            List<?> fields = (List<?>) entry;
            denied.add(String.valueOf(fields.get(fields.indexOf("object") + 1)));
        }
        return denied;
    }

    void removeUser() {
        redis.command("ACL", "DELUSER", "app");
    }

    String uri() {
        return "redis://app:sesame@127.0.0.1:" + redis.port();
    }

    /** All that a client does. */
    void doEverything() throws Exception {
        try (Holdfast one = Holdfast.connect(uri());
                Holdfast two = Holdfast.connect(uri())) {
            HandOver.isTold(redis, one, two);
            try (Lease lease = one.lock("b").acquire(Duration.ZERO)) {
                lease.extend(Duration.ofSeconds(60));
                assertThat(two.inspect("*"))
                        .singleElement()
                        .satisfies(lock -> assertThat(lock.holders().get(0).origin())
                                .as("where it runs")
                                .isPresent());
            }
            share(one, two);
            count(one, two);
            passOver(one);
            try (Lease both = one.allOf(one.lock("e"), one.lock("f")).acquire(Duration.ZERO)) {
                assertThat(both.token("e")).isPositive();
            }
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() ->
                            one.lock("g", options -> options.minReplicas(1)).tryAcquire())
                    .withMessageContaining("only 0 of the 1 replicas");
            StoreHealth health = one.health();
            assertThat(health.reachable()).as(health.toString()).isTrue();
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
        // A script may go on without what it was denied, and be slower.
        assertThat(denied(redis)).isSubsetOf("info");
    }

    /** Reads, writes and takes permits; waits for each, and lets others in. */
    private static void share(Holdfast one, Holdfast two) throws Exception {
        Lease writing = one.readWriteLock("c").writeLock().acquire(Duration.ZERO);
        Future<Lease> reader =
                Crowd.start(() -> two.readWriteLock("c").readLock().acquire(Duration.ofSeconds(10)));
        until(() -> one.inspect("c").get(0).waiters().size() == 1);
        assertThat(writing.release()).isTrue();
        try (Lease reading = Crowd.get(reader)) {
            reading.extend(Duration.ofSeconds(60));
            assertThat(one.inspect("c").get(0).sharedBy()).hasSize(1);
            assertThat(one.readWriteLock("c").readLock().tryAcquire().map(Lease::release))
                    .contains(true);
            assertThat(one.readWriteLock("c").writeLock().tryAcquire()).isEmpty();
        }
        DistributedReadWriteLock both = one.readWriteLock("c");
        both.writeLock().lock();
        both.readLock().lock();
        assertThat(both.writeLock().unlock()).as("goes on reading").isTrue();
        assertThat(both.readLock().unlock()).isTrue();

        Lease all = one.semaphore("d", 2).acquire(2, Duration.ZERO);
        Future<Lease> waiter = Crowd.start(() -> two.semaphore("d", 2).acquire(1, Duration.ofSeconds(10)));
        until(() -> one.inspect("d").get(0).waiters().size() == 1);
        assertThat(one.semaphore("d", 2).setPermits(3)).isTrue();
        try (Lease permit = Crowd.get(waiter)) {
            permit.extend(Duration.ofSeconds(60));
            assertThat(all.release()).isTrue();
        }
    }

    /** Takes a lock for which one stands in line whose client is gone. */
    private void passOver(Holdfast one) {
        String queue = "distributed_lock:~queue:{distributed_lock:i}";
        String tickets = "distributed_lock:~tickets:{distributed_lock:i}";
        redis.command("ZADD", queue, "1", "gone:1:x");
        redis.command("HSET", tickets, "gone:1:x", (System.currentTimeMillis() + 60_000) + " 2000 1");
        assertThat(one.lock("i").tryLock()).isTrue();
        redis.command("DEL", queue, tickets);
        assertThat(one.lock("i").unlock()).isTrue();
    }

    /** Sets a latch, for which another waits, and opens it. */
    private static void count(Holdfast one, Holdfast two) throws Exception {
        assertThat(one.latch("h").trySetCount(2)).isTrue();
        Future<Boolean> waiter = Crowd.start(() -> two.latch("h").await(Duration.ofSeconds(10)));
        one.latch("h").countDown();
        assertThat(one.latch("h").getCount()).hasValue(1);
        one.latch("h").countDown();
        assertThat(Crowd.get(waiter)).isTrue();
        assertThat(one.latch("h").clear()).isTrue();
    }
}
