package io.holdfast.redis.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.RedisFencingGate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import redis.clients.jedis.JedisPool;

/**
 * A process that holds a lock and does what it is told, line by line, to be paused and killed by a test.
 *
 * <p>Arguments: the store's URI, the lock's name, the lease in ms, the port of the server it writes to.
 */
final class HolderMain {
    private static final PrintStream OUT = new PrintStream(System.out, true, UTF_8);

    private HolderMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        LockListener renewals = new LockListener() {
            @Override
            public void renewed(Hold hold, Duration lag) {
                OUT.println("renewed");
            }
        };
        Holdfast locks = Holdfast.builder()
                .uri(args[0])
                .listener(renewals)
                // A JVM that has just started takes its time to connect, the more so with TLS.
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        JedisPool pool = new JedisPool("127.0.0.1", Integer.parseInt(args[3]));
        RedisFencingGate gate = RedisFencingGate.on(pool, Rig.PREFIX);
        // So that what is measured later does not wait for classes to be loaded.
        gate.write("warm-up", "", 0);
        locks.lock("warm-up").acquire(Duration.ZERO).release();
        Duration leaseTime = Duration.ofMillis(Long.parseLong(args[2]));
        Lease lease = locks.lock(args[1], options -> options.lease(leaseTime)).acquire(Duration.ofSeconds(10));
        lease.lost().thenAccept(loss -> OUT.println("lost " + loss.cause()));
        OUT.println("holds " + lease.token());

        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "look" -> OUT.println("valid " + lease.isValid());
                case "write" -> write(gate, lease.token());
                case "release" -> OUT.println("released " + lease.release());
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    private static void write(RedisFencingGate gate, long token) {
        try {
            gate.write("data", "written with " + token, token);
            OUT.println("written");
        } catch (StaleTokenException e) {
            OUT.println("refused " + e.getMessage());
        }
    }
}
