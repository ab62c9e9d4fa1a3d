package io.holdfast.redis.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.redis.JedisConfig;
import io.holdfast.redis.RedisDistributedLock;
import io.holdfast.redis.RedisStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.UnifiedJedis;

/**
 * Tries everything with the addresses that it reads, one a line, and prints all it is told: what calls return, and of what
 * they throw every trace and every cause. A line is a word, {@code uri}, {@code once}, {@code brief}, {@code short} or {@code own}, and an address.
 */
final class SecretsMain {
    private static final PrintStream OUT = new PrintStream(System.out, true, UTF_8);

    private static final Duration PATIENT = Duration.ofSeconds(10);
    /** For a server that does not answer at all. */
    private static final Duration BRIEF = Duration.ofMillis(300);

    private SecretsMain() {}

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        LoggerFactory.getLogger(SecretsMain.class).trace("the log is on");
        int number = 0;
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            String address = line.substring(line.indexOf(' ') + 1);
            OUT.println("address " + ++number);
            switch (line.substring(0, line.indexOf(' '))) {
                case "uri" -> byUri(address, PATIENT, true);
                case "once" -> byUri(address, PATIENT, false);
                case "brief" -> byUri(address, BRIEF, false);
                case "short" -> shortForm(URI.create(address));
                default -> onOwnClients(URI.create(address));
            }
        }
        OUT.println("done");
    }

    private static void byUri(String uri, Duration timeout, boolean all) {
        tell(() -> {
            try (Holdfast locks = client(timeout).uri(uri).build();
                    Holdfast others = client(timeout).uri(uri).build()) {
                if (all) {
                    everything(locks, others);
                } else {
                    tell(() -> locks + " " + locks.lock("a").tryLock());
                    tell(locks::health);
                }
            }
            return "closed";
        });
    }

    private static Holdfast.Builder client(Duration timeout) {
        return Holdfast.builder()
                .recordPlaces(true)
                .commandTimeout(timeout)
                .options(LockOptions.builder()
                        .outageLimit(Duration.ofMillis(100))
                        .build());
    }

    private static void everything(Holdfast locks, Holdfast others) {
        DistributedLock lock = locks.lock("a");
        tell(() -> locks + " " + locks.store() + " " + lock + " " + locks.fairLock("a") + locks.latch("a"));
        tell(lock::tryLock);
        tell(() -> others.lock("a").tryLock(50, TimeUnit.MILLISECONDS));
        tell(() -> locks.inspect("*"));
        tell(locks::health);
        tell(() -> locks.forceRelease("a", "nobody:1:1"));
        tell(lock::unlock);
        tell(() -> others.fairLock("b")
                .acquireAsync(Duration.ofMillis(50))
                .toCompletableFuture()
                .get());
        tell(() -> locks.latch("l").getCount());
        tell(() -> locks.semaphore("s", 2).tryAcquire());
        tell(() -> locks.allOf(locks.lock("c"), locks.lock("d")).tryAcquire().map(Lease::release));
        tell(() -> locks.election("e").leader());
        tell(() -> {
            others.lock("f").lock();
            return others.lock("f").unlock();
        });
    }

    private static void shortForm(URI address) {
        JedisConfig.init(address.getHost(), address.getPort(), password(address), 10_000);
        tell(() -> new RedisDistributedLock("a").tryLock());
        tell(() -> new RedisDistributedLock("a").toString());
        JedisConfig.close();
    }

    private static void onOwnClients(URI address) {
        HostAndPort server = new HostAndPort(address.getHost(), address.getPort());
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder()
                .user("app")
                .password(password(address))
                .timeoutMillis(10_000)
                .build();
        try (JedisPool pool = new JedisPool(server, config);
                UnifiedJedis jedis = new UnifiedJedis(server, config)) {
            for (var store : Map.of("pool", RedisStore.on(pool), "client", RedisStore.on(jedis))
                    .entrySet()) {
                tell(() -> {
                    try (Holdfast locks =
                                    client(PATIENT).store(store.getValue()).build();
                            Holdfast others =
                                    client(PATIENT).store(store.getValue()).build()) {
                        everything(locks, others);
                    }
                    return store.getKey();
                });
            }
        }
    }

    private static String password(URI address) {
        String login = address.getRawUserInfo();
        return URLDecoder.decode(login.substring(login.indexOf(':') + 1), UTF_8);
    }

    private static void tell(Callable<?> call) {
        try {
            OUT.println("told " + call.call());
        } catch (Exception | Error e) {
            OUT.println("failed " + e + List.of(e.getStackTrace()).size());
            e.printStackTrace(OUT);
        }
    }
}
