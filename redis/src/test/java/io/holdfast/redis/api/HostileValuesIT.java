package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.FiveServers;
import io.holdfast.redis.RedisFencingGate;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Something else at each of our keys: every type, texts and numbers of every kind, with and without an expiry. Each call
 * ends in time, as an answer or as an exception of ours; nobody is told that he holds what stood there before; and once it
 * is gone, all is as before.
 */
@Faults(39)
class HostileValuesIT {
    private static final String PREFIX = "distributed_lock:";
    private static final Duration SLACK = Duration.ofSeconds(25);

    /** What each of the keys would look like of which the library makes anything. */
    private static final List<String> KEYS = List.of(
            "x",
            "~queue:{distributed_lock:x}",
            "~tickets:{distributed_lock:x}",
            "~holds:{distributed_lock:x}",
            "~latch:{distributed_lock:x}",
            "~waiters:{distributed_lock:x}",
            "~turn:{distributed_lock:x}",
            "~fence",
            "~gate:x",
            "~client:nobody");

    private static final String LONG = "z".repeat(10_000);

    /** More than a reply to a command of ours may have. */
    private static final String HUGE = "z".repeat(3 << 20);

    private static List<List<String>> values() {
        List<List<String>> values = new ArrayList<>();
        for (String text : List.of(
                "",
                "nonsense",
                "0",
                "-1",
                "9223372036854775807",
                "9223372036854775808",
                "-9223372036854775809",
                "1e400",
                "00000000000000000007",
                "9".repeat(400),
                "hf1:",
                "hf1::",
                "hf1:a:1:b:-1",
                "hf1:a:1:b:99999999999999999999+99999999999",
                "hf1 9999999999999999999 a",
                "hf1:" + LONG + ":1",
                "\0\r\n\u001b[2J\ufffd\uffff",
                LONG)) {
            values.add(List.of("SET", "%", text));
            values.add(List.of("SET", "%", text, "PX", "60000"));
        }
        values.add(List.of("RPUSH", "%", "a", "b"));
        values.add(List.of("SADD", "%", "a"));
        values.add(List.of("XADD", "%", "*", "a", "b"));
        values.add(List.of("PFADD", "%", "a"));
        values.add(List.of("HSET", "%", "=", "r 99999999999999999999 -1", "a", LONG));
        values.add(List.of("HSET", "%", "=", "p 1 0", "a", "b"));
        values.add(List.of("HSET", "%", "=", "hf1 99999999999999999999 a", "a:1:b", "99999999999999999 9999999 1"));
        values.add(List.of("HSET", "%", "a:1:b", "9999999999999999999 99999999999999999999 99999999999"));
        values.add(List.of("HSET", "%", "a", "9999999999999 5000 1 r", "b", "9999999999999 5000 1 p 1 1"));
        values.add(List.of("ZADD", "%", "inf", "a:1:b", "-inf", LONG));
        values.add(List.of("ZADD", "%", "-1e300", "a", "1e300", "b:1:c", "0.5", ""));
        return values;
    }

    private final RedisServer redis = SharedRedis.empty();

    private static Holdfast client(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .commandTimeout(Duration.ofSeconds(20))
                .holderInfo(false)
                .build();
    }

    @Test
    void somethingElseAtAnyKey_isAnErrorOfOursOrIgnored() throws Exception {
        // A part of them, another at each key, which all in all leaves out no value.
        tryAll(11);
    }

    @Test
    @Tag("slow")
    void somethingElseAtAnyKey_allOfIt() throws Exception {
        tryAll(1);
    }

    private void tryAll(int step) throws Exception {
        int next = 0;
        try (Holdfast locks = client(redis.uri());
                Holdfast others = client(redis.uri());
                UnifiedJedis jedis = new UnifiedJedis(new HostAndPort("127.0.0.1", redis.port()))) {
            RedisFencingGate gate = RedisFencingGate.on(jedis, PREFIX);
            for (String key : KEYS) {
                for (List<String> value : values()) {
                    if (next++ % step != 0) {
                        continue;
                    }
                    redis.flushAll();
                    plant(redis, key, value);
                    String what = value.get(0) + " at " + key + " " + shown(value);
                    Object type = redis.command("TYPE", PREFIX + key);
                    calls(locks, key.equals("x")).forEach((name, call) -> inTime(what + ": " + name, call));
                    inTime(what + ": gate", () -> admits(gate));
                    if (key.equals("x")) {
                        assertThat(redis.command("TYPE", PREFIX + key))
                                .as(what + " stays")
                                .isEqualTo(type);
                    }
                    redis.flushAll();
                    whileAnotherHolds(others, locks, key, value, what);
                    redis.flushAll();
                    Lease again = locks.lock("x").acquire(Duration.ofSeconds(20));
                    assertThat(again.release()).as("after " + what).isTrue();
                }
            }
        }
    }

    /** Whatever stands at the side keys, a lock that is held is nobody else's, and its holder is not lied to. */
    private void whileAnotherHolds(Holdfast holder, Holdfast locks, String key, List<String> value, String what)
            throws InterruptedException {
        Lease lease = holder.lock("x").acquire(Duration.ofSeconds(20));
        plant(redis, key, value);
        assertThat(inTime(what + " while held: tryLock", () -> locks.lock("x").tryLock()))
                .as(what)
                .isFalse();
        assertThat(inTime(
                        what + " while held: read",
                        () -> locks.readWriteLock("x").readLock().tryLock()))
                .as(what)
                .isFalse();
        inTime(what + " while held: inspect", () -> locks.inspect("*").isEmpty());
        boolean replaced = key.equals("x");
        inTime(what + " while held: extend", () -> {
            lease.extend(Duration.ofSeconds(40));
            return replaced;
        });
        boolean kept = inTime(what + " while held: release", lease::release);
        assertThat(replaced && kept)
                .as(what + " has replaced the lock, and the holder is told")
                .isFalse();
    }

    private static boolean admits(RedisFencingGate gate) {
        try {
            gate.admit("x", 7);
            return true;
        } catch (StaleTokenException | JedisException e) {
            assertThat(String.valueOf(e.getMessage())).hasSizeLessThan(2_000);
            return false;
        }
    }

    private static Map<String, Callable<Boolean>> calls(Holdfast locks, boolean isTaken) {
        Map<String, Callable<Boolean>> calls = new LinkedHashMap<>();
        calls.put("tryLock", () -> granted(locks.lock("x"), isTaken));
        calls.put("fair", () -> granted(locks.fairLock("x"), isTaken));
        calls.put("read", () -> granted(locks.readWriteLock("x").readLock(), isTaken));
        calls.put("write", () -> granted(locks.readWriteLock("x").writeLock(), isTaken));
        calls.put("permits", () -> granted(locks.semaphore("x", 2).asLock(1), isTaken));
        calls.put("together", () -> granted(locks.allOf(locks.lock("w"), locks.lock("x")), isTaken));
        calls.put(
                "wait",
                () -> locks.lock("x").tryLock(1, TimeUnit.MILLISECONDS)
                        && locks.lock("x").unlock());
        calls.put(
                "wait fairly",
                () -> locks.fairLock("x").tryLock(1, TimeUnit.MILLISECONDS)
                        && locks.fairLock("x").unlock());
        calls.put("resize", () -> locks.semaphore("x", 2).setPermits(3));
        calls.put("inspect", () -> locks.inspect("*").isEmpty());
        calls.put("inspect one", () -> locks.inspect("x").isEmpty());
        calls.put("force", () -> locks.forceRelease("x", "a:1:b"));
        calls.put("leader", () -> locks.election("x").leader().isEmpty());
        calls.put("count", () -> locks.latch("x").getCount().isPresent());
        calls.put("set", () -> locks.latch("x").trySetCount(2));
        calls.put("await", () -> locks.latch("x").await(Duration.ofMillis(1)));
        calls.put("clear", () -> locks.latch("x").clear());
        calls.put("health", () -> locks.health().reachable());
        return calls;
    }

    private static boolean granted(DistributedLock lock, boolean isTaken) {
        if (!lock.tryLock()) {
            return false;
        }
        assertThat(isTaken).as("got what is another's").isFalse();
        lock.unlock();
        return true;
    }

    private static boolean inTime(String what, Callable<Boolean> call) {
        long started = System.nanoTime();
        boolean answer = false;
        try {
            answer = call.call();
        } catch (LockException e) {
            // "unexpected" is what is said of an exception that nobody has thought of.
            assertThat(e).as(what).hasMessageNotContaining("unexpected");
            assertThat(requireNonNull(e.getMessage())).as(what).hasSizeLessThan(2_000);
        } catch (IllegalStateException e) {
            assertThat(e).as(what).hasMessageContaining("latch");
        } catch (Exception | Error e) {
            throw new AssertionError(what + " failed with " + e, e);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - started)).as(what).isLessThan(SLACK);
        return answer;
    }

    private static void plant(RedisServer server, String key, List<String> value) {
        List<String> command = new ArrayList<>(value);
        command.set(1, PREFIX + key);
        server.command("DEL", PREFIX + key);
        server.command(command.toArray(String[]::new));
    }

    private static String shown(List<String> value) {
        String text = String.join(" ", value.subList(2, value.size()));
        return text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }

    // --- what is large

    /** A value may be as large as 512 MB, and whoever lists the locks would have to make room for it. */
    @Test
    void hugeValue_isNotRead() throws Exception {
        redis.command("SETRANGE", PREFIX + "huge", Integer.toString(8 << 20), "x");
        redis.command("PEXPIRE", PREFIX + "huge", "60000");
        redis.command("SETRANGE", PREFIX + "~client:nobody", Integer.toString(8 << 20), "x");
        try (Holdfast locks = client(redis.uri());
                Lease lease = locks.lock("a").acquire(Duration.ofSeconds(20))) {
            redis.command("SET", PREFIX + "b", "hf1:nobody:1:2:3", "PX", "60000");
            long before = sent(redis);

            assertThat(locks.inspect("*")).hasSize(3).anySatisfy(lock -> {
                assertThat(lock.name()).isEqualTo("huge");
                assertThat(lock.owner().orElseThrow()).hasSize(1_024);
            });
            assertThat(locks.lock("huge").tryLock()).isFalse();
            assertThat(locks.fairLock("huge").tryLock(1, TimeUnit.MILLISECONDS)).isFalse();

            assertThat(sent(redis) - before).as("bytes").isLessThan(1 << 20);
            assertThat(lease.isValid()).isTrue();
        }
    }

    private static long sent(RedisServer server) {
        return Long.parseLong(server.info("stats").getOrDefault("total_net_output_bytes", "0"));
    }

    /** It used to end the connection to each server whenever somebody asked for that lock, under everybody's feet. */
    @Test
    void hugeValue_inAQuorum_isBusy_andDisturbsNobodyElse() throws Exception {
        try (FiveServers three = new FiveServers(3, RedisServer.Version.V7_0)) {
            three.servers().forEach(server -> {
                server.command("SET", PREFIX + "huge", HUGE, "PX", "60000");
                server.command("SET", PREFIX + "turn", "x", "PX", "1");
                server.command("SET", PREFIX + "~turn:{" + PREFIX + "turn}", HUGE, "PX", "60000");
            });
            try (Holdfast locks = Holdfast.builder()
                    .store(three.vouched(Duration.ofSeconds(60)).nodeTimeout(Duration.ofMillis(500)))
                    .commandTimeout(Duration.ofSeconds(20))
                    .build()) {
                assertThat(locks.lock("other").tryLock()).isTrue();
                List<Long> opened = three.networks().stream()
                        .map(TcpProxy::connectionsAccepted)
                        .toList();

                assertThat(locks.lock("huge").tryLock()).isFalse();
                assertThat(locks.lock("turn").tryLock()).isFalse();
                assertThat(locks.lock("other").unlock()).isTrue();

                assertThat(three.networks().stream().map(TcpProxy::connectionsAccepted))
                        .as("connections, before and after")
                        .isEqualTo(opened);
            }
        }
    }

    // --- messages

    /** Whoever may publish can wake a client, and can say that a lock was taken away; what is no such message is nothing. */
    @Test
    void messagesThatMakeNoSense_giveNobodyTheLock() throws Exception {
        try (Holdfast locks = client(redis.uri());
                Holdfast others = client(redis.uri())) {
            Lease lease = locks.lock("x").acquire(Duration.ofSeconds(20));
            Future<Boolean> waiter = Crowd.start(() -> others.lock("x").tryLock(60, TimeUnit.SECONDS)
                    && others.lock("x").unlock());
            until(() -> !inboxes().isEmpty() && !inLine().isEmpty());
            String inbox = inboxes().get(0);
            String owner = inLine().get(0);
            String key = PREFIX + "x";
            for (String message : List.of(
                    "",
                    " ",
                    "  ",
                    owner,
                    LONG,
                    HUGE,
                    "\0\r\n",
                    owner + " " + PREFIX,
                    owner + " " + PREFIX + "~fence",
                    owner + " 1 1 1 1 " + LONG,
                    owner + " 5 1 2000 0 " + key,
                    owner + " 5 1 2000 9999999999999999 " + key,
                    owner + " 99999999999999999999 1 2000 1 " + key,
                    owner + " -5 1 2000 1 " + key,
                    owner + " 5 999999999,a:1:b 999999999 9999999999999999 " + key,
                    "nobody:1:1 5 1 2000 1 " + key,
                    "nobody:1:1 !%zz " + key,
                    " !x " + key)) {
                redis.command("PUBLISH", inbox, message);
            }
            redis.command("PUBLISH", inbox, owner + " " + key); // the last one is heard: it asks again
            until(() -> !inboxes().isEmpty() && !inLine().isEmpty());

            assertThat(waiter.isDone()).isFalse();
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.release()).as("nobody else has had it").isTrue();
            assertThat(Crowd.get(waiter)).isTrue();
        }
    }

    private List<String> inboxes() {
        return texts(redis.command("PUBSUB", "CHANNELS", PREFIX + "~inbox:*"));
    }

    private List<String> inLine() {
        return texts(redis.command("ZRANGE", PREFIX + "~queue:{" + PREFIX + "x}", "0", "-1"));
    }

    private static List<String> texts(@Nullable Object reply) {
        return reply instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }
}
