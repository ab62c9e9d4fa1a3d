package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/** A waiter whose subscription is cut off directly before the lock is given back. */
record LostWakeUp(int rounds, Duration lease) implements Scenario<LostWakeUp.Waits> {
    private static final Duration SETTLE = Duration.ofMillis(500);
    private static final String NAME = "awaited";

    /**
     * What was seen.
     *
     * @param nanos from the release to the grant, each time
     */
    record Waits(List<Long> nanos) {
        @Override
        public String toString() {
            return "goes on after " + Bench.spread(nanos);
        }
    }

    @Override
    public String title() {
        return "one waits; its connection for messages is killed, and directly after it the holder unlocks, " + rounds
                + " times (lease " + lease.toSeconds() + " s)";
    }

    @Override
    public String counted() {
        return "time from the unlock until the waiter has the lock";
    }

    @Override
    public boolean isExact() {
        return true;
    }

    @Override
    public Waits play(Contender contender) throws Exception {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            try (RedisServer server = RedisServer.start();
                    Bench.Hand holder = new Bench.Hand("holder");
                    Bench.Hand waiter = new Bench.Hand("waiter");
                    Session session = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), lease);
                    Session other = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), lease)) {
                Held held = holder.run(() -> Bench.take(session, Bench.lock(NAME)));
                Future<Long> granted = waiter.begin(() -> {
                    Held mine = Bench.take(other, Bench.lock(NAME));
                    long now = System.nanoTime();
                    mine.release();
                    return now;
                });
                Bench.await("the waiter has subscribed", () -> subscribers(server) > 0);
                Bench.sleep(SETTLE); // it asks once more after that, and then sleeps
                long from = Moment.loseMessages(server, () -> holder.begin(held::release));
                nanos.add(Bench.Hand.result(granted) - from);
            }
        }
        return new Waits(nanos);
    }

    private static long subscribers(RedisServer server) {
        return server.command("PUBSUB", "CHANNELS") instanceof List<?> channels ? channels.size() : 0;
    }
}
