package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/** The least that a user of Redis must be allowed, and a user who is allowed that. */
final class AccessList {
    static final List<String> COMMANDS = List.of(
            "+eval",
            "+evalsha",
            "+time",
            "+get",
            "+set",
            "+del",
            "+exists",
            "+pttl",
            "+pexpire",
            "+zadd",
            "+zrem",
            "+zrange",
            "+zrank",
            "+zscore",
            "+hget",
            "+hset",
            "+hdel",
            "+publish",
            "+subscribe",
            "+ping",
            "+scan");

    private final RedisServer redis;

    AccessList(RedisServer redis) {
        this.redis = redis;
        // So that the text of a script has to be sent.
        redis.command("SCRIPT", "FLUSH");
        redis.command("CONFIG", "RESETSTAT");
    }

    void allow(List<String> commands) {
        List<String> command = new ArrayList<>(List.of(
                "ACL",
                "SETUSER",
                "app",
                "reset",
                "on",
                ">sesame",
                "~distributed_lock:*",
                "resetchannels",
                "&distributed_lock:~inbox:*"));
        command.addAll(commands);
        redis.command(command.toArray(String[]::new));
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
                assertThat(two.inspect("*")).hasSize(1);
            }
            share(one, two);
            StoreHealth health = one.health();
            assertThat(health.reachable()).as(health.toString()).isTrue();
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
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
}
