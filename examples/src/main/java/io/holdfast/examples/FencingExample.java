package io.holdfast.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.RedisFencingGate;
import java.io.PrintStream;
import java.net.URI;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;

/** A holder that sleeps through its lease comes back and writes. The gate refuses it. */
final class FencingExample {
    private static final String KEY = "holdfast-example:stock:apples";
    private static final String GATE_PREFIX = "holdfast-example:";

    private FencingExample() {}

    static void run(String uri, PrintStream out) throws Exception {
        try (JedisPool pool = new JedisPool(URI.create(uri));
                Holdfast here = Holdfast.connect(uri);
                Holdfast there = Holdfast.connect(uri)) {
            RedisFencingGate gate = RedisFencingGate.on(pool, GATE_PREFIX);

            Lease slow = here.lock(
                            "shop:stock:apples",
                            options -> options.lease(ofMillis(150)).renewal(false))
                    .acquire(ofSeconds(5));
            gate.write(KEY, "12", slow.token());
            slow.lost().toCompletableFuture().get(10, SECONDS); // here it sleeps for too long

            try (Lease next = there.lock("shop:stock:apples").acquire(ofSeconds(5))) {
                gate.write(KEY, "11", next.token());
                out.println("fencing: the next holder has a higher token: " + (next.token() > slow.token()));
            }

            try {
                gate.write(KEY, "12", slow.token());
                out.println("fencing: the old holder has written");
            } catch (StaleTokenException e) {
                out.println("fencing: the old holder is refused, the stock stays " + read(pool));
            }
            cleanUp(pool);
        }
    }

    private static String read(JedisPool pool) {
        try (Jedis jedis = pool.getResource()) {
            return String.valueOf(jedis.get(KEY));
        }
    }

    private static void cleanUp(JedisPool pool) {
        try (Jedis jedis = pool.getResource()) {
            jedis.del(KEY, GATE_PREFIX + "~gate:" + KEY);
        }
    }
}
