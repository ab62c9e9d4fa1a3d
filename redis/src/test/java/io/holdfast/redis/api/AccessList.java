package io.holdfast.redis.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
            StoreHealth health = one.health();
            assertThat(health.reachable()).as(health.toString()).isTrue();
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }
}
