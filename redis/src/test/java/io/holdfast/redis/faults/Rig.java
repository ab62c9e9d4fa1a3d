package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespError;
import io.holdfast.servers.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One real server for a class of tests; for each test an empty database, a network of its own that can fail, clients and
 * threads. After each test faults are ended, clients are closed, and no key but the fence may stand without an expiry.
 */
final class Rig implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    /** The command time-out of the clients, unless a test says otherwise. */
    static final Duration COMMAND = Duration.ofSeconds(2);

    static final String PREFIX = "distributed_lock:";
    /** In every request to acquire, and in no other. */
    static final String ACQUIRE = "\r\nA\r\n";
    /** In every request to release, and in no other. */
    static final String RELEASE = "\r\nR\r\n";

    private final List<Client> clients = new ArrayList<>();
    private final Deque<Runnable> repairs = new ArrayDeque<>();
    private @Nullable RedisServer redis;
    private @Nullable TcpProxy proxy;
    private @Nullable ExecutorService threads;
    private String renewal = "";

    RedisServer redis() {
        return requireNonNull(redis);
    }

    /** The network between the server and the clients that go {@link #overProxy}. */
    TcpProxy proxy() {
        return requireNonNull(proxy);
    }

    String proxyUri() {
        return "redis://127.0.0.1:" + proxy().port();
    }

    /** In every request to renew, and in no other. */
    String renewal() {
        return renewal;
    }

    // --- clients and threads

    /** A client with an undisturbed connection. */
    Client direct() {
        return client(redis().uri(), builder -> {});
    }

    /** A client behind the network that can fail. */
    Client overProxy() {
        return client(proxyUri(), builder -> {});
    }

    Client overProxy(Duration commandTimeout) {
        return client(proxyUri(), builder -> builder.commandTimeout(commandTimeout));
    }

    Client client(String uri, Consumer<Holdfast.Builder> settings) {
        Client client = Client.of(uri, builder -> settings.accept(builder.commandTimeout(COMMAND)));
        synchronized (clients) {
            clients.add(client);
        }
        return client;
    }

    <T> Future<T> start(Callable<T> work) {
        return requireNonNull(threads).submit(work);
    }

    // --- what stands in the server

    static String key(String name) {
        return PREFIX + name;
    }

    boolean isFree(String name) {
        return redis().command("GET", key(name)) == null;
    }

    /** The owner id of the lock's holder. */
    String owner(String name) {
        String value = value(name);
        return value.substring("hf1:".length(), value.lastIndexOf(':'));
    }

    /** The token of the lock's holder. */
    long token(String name) {
        String value = value(name);
        // Without those that are reserved behind it.
        return Long.parseLong(value.substring(value.lastIndexOf(':') + 1).replaceFirst("\\+.*", ""));
    }

    private String value(String name) {
        return String.valueOf(redis().command("GET", key(name)));
    }

    /** The last token that was given out. */
    long lastToken() {
        return Long.parseLong(String.valueOf(redis().command("GET", PREFIX + "~fence")));
    }

    Duration timeLeft(String name) {
        return Duration.ofMillis((Long) requireNonNull(redis().command("PTTL", key(name))));
    }

    /** How many wait for the lock. */
    long waiters(String name) {
        return (Long) requireNonNull(redis().command("ZCARD", PREFIX + "~queue:{" + key(name) + "}"));
    }

    /** How many clients listen to their inbox. */
    long subscribers() {
        return String.valueOf(redis().command("CLIENT", "LIST", "TYPE", "pubsub"))
                .lines()
                .count();
    }

    /** Nobody has asked for a tenth of a second. */
    boolean isQuiet() {
        long before = calls("evalsha");
        long start = System.nanoTime();
        until("a moment passes", () -> since(start).compareTo(Duration.ofMillis(100)) > 0);
        return calls("evalsha") == before;
    }

    long calls(String command) {
        return redis().commandStats().getOrDefault(command, 0L);
    }

    /** The server keeps the lock for its holder at least as long as the holder believes. */
    void assertProtects(Lease lease) {
        // In this order: a renewal that comes in between only makes the server keep it longer.
        long start = System.nanoTime();
        Duration believed = lease.remaining();
        Duration left = timeLeft(lease.lockName());
        assertThat(believed).isPositive().isLessThanOrEqualTo(left.plus(since(start)));
        assertThat(token(lease.lockName())).isEqualTo(lease.token());
    }

    void awaitNothingLeft() {
        await("nothing is left in the server but the fence")
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(redis().keysOfLocks()).isSubsetOf(PREFIX + "~fence"));
    }

    /** Changes the server's configuration for one test. */
    void configure(String parameter, String value) {
        List<?> present = (List<?>) requireNonNull(redis().command("CONFIG", "GET", parameter));
        repairs.push(() -> setBack(parameter, String.valueOf(present.get(1))));
        redis().command("CONFIG", "SET", parameter, value);
    }

    /** A server that calls a script of a millisecond busy may say so of any of ours. */
    private void setBack(String parameter, String value) {
        Timing.until(parameter + " is set back", () -> {
            try {
                redis().command("CONFIG", "SET", parameter, value);
                return true;
            } catch (RespError e) {
                if (String.valueOf(e.getMessage()).startsWith("BUSY")) {
                    return false;
                }
                throw e;
            }
        });
    }

    /**
     * Sees to it that something is put right after the test at the latest, before the clients are closed. What was asked
     * for last comes first.
     *
     * @return puts it right at once
     */
    Runnable afterwards(Runnable repair) {
        AtomicBoolean done = new AtomicBoolean();
        Runnable once = () -> {
            if (done.compareAndSet(false, true)) {
                repair.run();
            }
        };
        repairs.push(once);
        return once;
    }

    // --- before and after

    @Override
    public void beforeAll(ExtensionContext context) {
        // A server that loads looks up from it often enough to say so.
        redis = RedisServer.builder()
                .config("loading-process-events-interval-bytes", "1024")
                .start();
        // The first client of a JVM loads classes, which takes longer than some tests give a command.
        try (Client first = Client.of(redis().uri(), builder -> builder.commandTimeout(Duration.ofSeconds(30)))) {
            first.connected();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (!redis().isRunning()) {
            redis().restart();
        }
        redis().flushAll();
        // So that every request names its script by the hash, the first one too.
        redis().command("SCRIPT", "LOAD", script("lock.lua"));
        renewal = String.valueOf(redis().command("SCRIPT", "LOAD", script("renew.lua")));
        proxy = TcpProxy.to(redis().port());
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "test");
            thread.setDaemon(true);
            return thread;
        });
    }

    private static String script(String file) {
        try (InputStream in = Holdfast.class.getResourceAsStream("/io/holdfast/redis/" + file)) {
            return new String(requireNonNull(in).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        requireNonNull(threads).shutdownNow();
        if (redis().isRunning()) {
            redis().resume();
            while (!repairs.isEmpty()) {
                repairs.pop().run();
            }
        } else {
            redis().restart();
            repairs.clear();
        }
        proxy().restore();
        synchronized (clients) {
            clients.forEach(Client::close);
            clients.clear();
        }
        proxy().close();
        assertEveryKeyExpires();
    }

    private void assertEveryKeyExpires() {
        List<String> lasting = redis().keys().stream()
                .filter(key -> key.startsWith(PREFIX) && !key.equals(PREFIX + "~fence"))
                .filter(key -> Long.valueOf(-1).equals(redis().command("PTTL", key)))
                .toList();
        assertThat(lasting).as("keys without an expiry").isEmpty();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        redis().close();
    }
}
