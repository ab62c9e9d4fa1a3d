package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.List;

/** A server that loses its state while a lock is held: the next holder's token must be higher all the same. */
record Tokens(Fault fault, int rounds) implements Scenario<Tokens.Order> {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int TAKEN_BEFORE = 20;
    private static final String NAME = "fenced";

    enum Fault {
        FLUSHED("FLUSHALL"),
        RESTARTED("kill -9 of the server and restart without data");

        private final String text;

        Fault(String text) {
            this.text = text;
        }
    }

    /**
     * What was seen.
     *
     * @param higher how often the token of the next holder was higher
     * @param before the last token before the last loss of state
     * @param after the first one after it
     */
    record Order(int rounds, int higher, long before, long after) {
        @Override
        public String toString() {
            return "higher in " + higher + " of " + rounds + " (the last: " + before + ", then " + after + ")";
        }
    }

    @Override
    public String title() {
        return "a lock is held, taken " + TAKEN_BEFORE + " times before; " + fault.text + "; another client takes it, "
                + rounds + " times";
    }

    @Override
    public String counted() {
        return "how often the later holder has the higher fencing token; it always should";
    }

    @Override
    public Order play(Contender contender) throws Exception {
        int higher = 0;
        long before = 0;
        long after = 0;
        for (int i = 0; i < rounds; i++) {
            try (RedisServer server = RedisServer.start();
                    Session session = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), LEASE);
                    Session other = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), LEASE)) {
                for (int j = 0; j < TAKEN_BEFORE; j++) {
                    Bench.take(session, Bench.lock(NAME)).release();
                }
                before = Bench.take(session, Bench.lock(NAME)).tokens().get(0);
                lose(server);
                Held next = Bench.take(other, Bench.lock(NAME));
                after = next.tokens().get(0);
                higher += after > before ? 1 : 0;
                next.release();
            }
        }
        return new Order(rounds, higher, before, after);
    }

    private void lose(RedisServer server) {
        if (fault == Fault.FLUSHED) {
            server.flushAll();
        } else {
            server.kill9();
            server.restart();
        }
    }
}
