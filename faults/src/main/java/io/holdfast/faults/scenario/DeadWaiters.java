package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.report.Cells;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Waiters in line for a fair lock whose process is killed, and one behind them who lives. */
record DeadWaiters(int dead, Duration atMost) implements Scenario<DeadWaiters.Waited> {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final String NAME = "queue-of-the-dead";

    /**
     * What was seen.
     *
     * @param nanos from the release to the grant; longer than this if it was not granted
     */
    record Waited(boolean granted, long nanos) {
        @Override
        public String toString() {
            return granted
                    ? Cells.millis(nanos)
                    : "not within " + Duration.ofNanos(nanos).toSeconds() + " s";
        }
    }

    @Override
    public String title() {
        return dead
                + " waiters for a fair lock in another process, killed with -9; one waits behind them; then the holder"
                + " unlocks (lease " + LEASE.toSeconds() + " s)";
    }

    @Override
    public String counted() {
        return "time from the unlock until the living one has it, once";
    }

    @Override
    public List<String> rivals() {
        return List.of("redisson", "redisson-impatient");
    }

    @Override
    public Waited play(Contender contender) throws Exception {
        try (RedisServer server = RedisServer.start();
                Bench.Hand holder = new Bench.Hand("holder");
                Bench.Hand waiter = new Bench.Hand("waiter");
                Session session = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), LEASE);
                Session other = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), LEASE);
                JvmProcess doomed = JvmProcess.of(Doomed.class)
                        .options("-XX:+UseSerialGC")
                        .arguments(contender.name(), Integer.toString(server.port()), Integer.toString(dead))
                        .start()) {
            Held held = holder.run(() -> Bench.take(session, Bench.fair(NAME)));
            doomed.awaitLine(Doomed.READY, Bench.PATIENCE);
            doomed.send(Doomed.GO);
            Bench.await("all wait", () -> waiting(server) >= dead);
            Future<Boolean> last = waiter.begin(() -> {
                Held mine = other.take(Bench.fair(NAME), atMost);
                return mine != null && mine.release();
            });
            Bench.await("one more waits", () -> waiting(server) > dead);
            doomed.kill9();
            long from = System.nanoTime();
            holder.run(held::release);
            boolean granted = Bench.Hand.result(last);
            return new Waited(granted, granted ? System.nanoTime() - from : atMost.toNanos());
        }
    }

    /** The length of the longest line that has to do with the lock, whatever it is made of. */
    private static long waiting(RedisServer server) {
        return server.keys().stream()
                .filter(key -> key.contains(NAME))
                .mapToLong(key -> switch (String.valueOf(server.command("TYPE", key))) {
                    case "list" -> number(server.command("LLEN", key));
                    case "zset" -> number(server.command("ZCARD", key));
                    default -> 0;
                })
                .max()
                .orElse(0);
    }

    private static long number(@Nullable Object reply) {
        return reply instanceof Long number ? number : 0;
    }

    /** The process of the waiters. */
    static final class Doomed {
        static final String READY = "ready";
        static final String GO = "go";

        private Doomed() {}

        public static void main(String[] args) throws Exception {
            Session session = Contenders.named(args[0]).open(Topology.SINGLE, List.of("127.0.0.1:" + args[1]), LEASE);
            System.out.println(READY);
            System.in.read();
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                new Thread(() -> await(session), "doomed-" + i).start();
            }
        }

        private static void await(Session session) {
            try {
                session.take(Bench.fair(NAME), Session.FOREVER);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
