package io.holdfast.examples;

import static java.time.Duration.ofSeconds;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.redis.JedisConfig;
import io.holdfast.redis.RedisDistributedLock;
import io.holdfast.redis.RedisStore;
import java.io.PrintStream;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisPool;

/** The ways to begin. All lead to the same engine, and to the same locks in Redis. */
final class Connecting {
    private Connecting() {}

    static void run(String uri, PrintStream out) {
        byUri(uri, out);
        byBuilder(uri, out);
        shortForm(URI.create(uri), out);
        ownPool(URI.create(uri), out);
    }

    /** One client per process and store is enough; it is thread safe. It connects at the first use. */
    private static void byUri(String uri, PrintStream out) {
        try (Holdfast locks = Holdfast.connect(uri)) {
            out.println("connect: " + tryOut(locks.lock("shop:start")));
        }
    }

    private static void byBuilder(String uri, PrintStream out) {
        try (Holdfast locks = Holdfast.builder()
                .uri(uri)
                .options(LockOptions.builder().lease(ofSeconds(10)).build())
                .commandTimeout(ofSeconds(1))
                .build()) {
            out.println("builder: " + tryOut(locks.lock("shop:start")));
            out.println("builder: the store is reachable: " + locks.health().reachable() + ", warnings: "
                    + locks.health().warnings());
        }
    }

    /** One class and a pool that the library keeps. */
    private static void shortForm(URI uri, PrintStream out) {
        int port = uri.getPort() < 0 ? 6379 : uri.getPort();
        JedisConfig.init(uri.getHost(), port, password(uri));
        DistributedLock lock = new RedisDistributedLock("shop:start", 10_000);
        out.println("short form: " + tryOut(lock));
        JedisConfig.close();
    }

    /** The application's own pool: three of its connections are borrowed, and it is never closed by the library. */
    private static void ownPool(URI uri, PrintStream out) {
        try (JedisPool pool = new JedisPool(uri);
                Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            out.println("own pool: " + tryOut(locks.lock("shop:start")));
        }
    }

    private static String tryOut(DistributedLock lock) {
        return "obtained " + lock.tryLock() + ", given back " + lock.unlock();
    }

    /** What stands behind the colon in {@code redis://user:password@host:port}. */
    static @Nullable String password(URI uri) {
        String login = uri.getUserInfo();
        return login == null ? null : login.substring(login.indexOf(':') + 1);
    }
}
