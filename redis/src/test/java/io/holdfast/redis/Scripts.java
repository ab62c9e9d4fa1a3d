package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the script files as {@code redis-cli --eval} does: the text of the resource, plain keys and arguments, and a
 * connection that knows nothing of the library.
 */
final class Scripts {
    static final String PREFIX = "distributed_lock:";
    static final String FENCE = PREFIX + "~fence";
    /** So far ahead that no test gets there. */
    static final String NO_HURRY = "9000000000000000";

    private final RedisServer redis;
    private final Keys keys = new Keys(PREFIX);

    Scripts(RedisServer redis) {
        this.redis = redis;
    }

    @Nullable
    Object run(Script script, List<String> scriptKeys, String... args) {
        List<String> command = new ArrayList<>();
        command.add("EVAL");
        command.add(new String(script.text(), UTF_8));
        command.add(Integer.toString(scriptKeys.size()));
        command.addAll(scriptKeys);
        command.addAll(Arrays.asList(args));
        return redis.command(command.toArray(String[]::new));
    }

    // --- lock.lua

    /** Asks for the lock, and waits for it if it is not to be had. */
    Reply queue(String name, String owner, long lease) {
        return acquire(name, owner, lease, NO_HURRY, 6_000, Math.min(lease, 2_000));
    }

    /** Asks for the lock, and does not wait. */
    Reply attempt(String name, String owner, long lease) {
        return acquire(name, owner, lease, NO_HURRY, 0, 2_000);
    }

    Reply acquire(String name, String owner, long lease, String notAfter, long ticket, long grant) {
        return acquire(name, owner, lease, notAfter, ticket, grant, 1);
    }

    private Reply acquire(
            String name,
            String owner,
            long lease,
            String notAfter,
            long ticket,
            long grant,
            int tokens,
            String... before) {
        List<String> args = new ArrayList<>(List.of(
                "acquire",
                owner,
                keys.inbox(),
                Long.toString(lease),
                notAfter,
                Long.toString(ticket),
                Long.toString(grant),
                Integer.toString(tokens)));
        args.addAll(Arrays.asList(before));
        return lock(name, args.toArray(String[]::new));
    }

    /** Asks for the lock and so many tokens, and waits for it if it is not to be had. */
    Reply reserve(String name, String owner, int tokens) {
        return acquire(name, owner, 30_000, NO_HURRY, 6_000, 2_000, tokens);
    }

    /** One gives up what it has, and another asks in the same go. */
    Reply exchange(String name, String before, String owner, String notAfter) {
        return acquire(name, owner, 30_000, notAfter, 6_000, 2_000, 1, before);
    }

    /** Whether the owner had the lock. */
    boolean release(String name, String owner) {
        return lock(name, "release", owner, keys.inbox()).code() == 1;
    }

    private Reply lock(String name, String... args) {
        List<String> scriptKeys = List.of(keys.lock(name), keys.queue(name), keys.tickets(name), keys.fence());
        if (!(run(Script.LOCK, scriptKeys, args) instanceof List<?> list)) {
            throw new AssertionError("lock.lua must answer with a list");
        }
        return new Reply(list.stream().map(number -> (Long) number).toList());
    }

    /**
     * An answer of lock.lua.
     *
     * @param numbers all of it
     */
    record Reply(List<Long> numbers) {
        long code() {
            return numbers.get(0);
        }

        /** The server's time in µs. */
        long now() {
            return numbers.get(1);
        }

        /** Of one that was granted. */
        long token() {
            if (code() != 1) {
                throw new AssertionError("not granted: " + numbers);
            }
            return numbers.get(3);
        }

        /** Of one that was granted: how many tokens it may use. */
        long tokens() {
            return token() > 0 ? numbers.get(4) : 0;
        }

        /** Of an exchange: whether the one who gave up had the lock. */
        boolean gaveUp() {
            return numbers.get(2) == 1;
        }

        /** Of one that was queued: ms until the holder's expiry. */
        long left() {
            return queued(3);
        }

        /** Of one that was queued: its place in line. */
        long place() {
            return queued(4);
        }

        /** Of one that was queued: whether the holder will notify. */
        boolean notified() {
            return queued(5) == 1;
        }

        private long queued(int index) {
            if (code() != 2) {
                throw new AssertionError("not queued: " + numbers);
            }
            return numbers.get(index);
        }
    }

    // --- what stands in the server

    @Nullable
    Object value(String name) {
        return redis.command("GET", keys.lock(name));
    }

    /** The owner of the lock, by its value; fails if nobody of ours has it. */
    String holder(String name) {
        String value = String.valueOf(value(name));
        if (!value.matches("hf1:.+:[0-9]+(\\+[0-9]+)?")) {
            throw new AssertionError("not held: " + value);
        }
        return value.substring(4, value.lastIndexOf(':'));
    }

    /** The token in the value of the lock, as text. */
    String tokenText(String name) {
        String value = String.valueOf(value(name));
        return value.substring(value.lastIndexOf(':') + 1);
    }

    long ttl(String key) {
        return (Long) requireNonNull(redis.command("PTTL", key));
    }

    long lockTtl(String name) {
        return ttl(keys.lock(name));
    }

    List<?> queued(String name) {
        return (List<?>) requireNonNull(redis.command("ZRANGE", keys.queue(name), "0", "-1"));
    }

    long tickets(String name) {
        return (Long) requireNonNull(redis.command("HLEN", keys.tickets(name)));
    }

    /** Puts so many tickets at the head of the queue whose life is over. */
    void deadTickets(String name, int count) {
        List<String> line = new ArrayList<>(List.of("ZADD", keys.queue(name)));
        List<String> lives = new ArrayList<>(List.of("HSET", keys.tickets(name)));
        for (int i = 0; i < count; i++) {
            line.addAll(List.of(Integer.toString(i), "dead:1:" + i));
            lives.addAll(List.of("dead:1:" + i, "1000 2000 1"));
        }
        redis.command(line.toArray(String[]::new));
        redis.command(lives.toArray(String[]::new));
        redis.command("PEXPIRE", keys.queue(name), "12000");
        redis.command("PEXPIRE", keys.tickets(name), "12000");
    }
}
