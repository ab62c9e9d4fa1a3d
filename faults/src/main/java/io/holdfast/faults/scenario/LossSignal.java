package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A lock that goes while it is held: does its holder learn of it? */
record LossSignal(Fault fault, int rounds) implements Scenario<LossSignal.Signals> {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration AT_MOST = LEASE.multipliedBy(2);
    private static final String NAME = "held";

    enum Fault {
        DELETED("the key of a held lock is deleted by hand"),
        RESTARTED("the server of a held lock is killed with -9, and restarted without data");

        private final String text;

        Fault(String text) {
            this.text = text;
        }
    }

    /**
     * What was seen.
     *
     * @param told from the loss to the signal, each time it came, in nanoseconds
     * @param knew how often the holder, asked at the end, said that it does not hold
     */
    record Signals(int rounds, List<Long> told, int knew) {
        @Override
        public String toString() {
            return (told.isEmpty()
                            ? "never told within two leases"
                            : "told in " + told.size() + " of " + rounds + ", after " + Bench.spread(told))
                    + "; asked then whether it holds: no in " + knew + " of " + rounds;
        }
    }

    @Override
    public String title() {
        return fault.text + ", " + rounds + " times (lease " + LEASE.toSeconds() + " s)";
    }

    @Override
    public String counted() {
        return "whether the holder is told without asking within two leases, how long after, and what it answers when asked then";
    }

    @Override
    public List<String> rivals() {
        return List.of("redisson", "redisson-listening");
    }

    @Override
    public Signals play(Contender contender) throws Exception {
        List<Long> told = new ArrayList<>();
        int knew = 0;
        for (int i = 0; i < rounds; i++) {
            try (RedisServer server = RedisServer.builder()
                            .config("notify-keyspace-events", "Egx")
                            .start();
                    Session session = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), LEASE)) {
                Held held = Bench.take(session, Bench.lock(NAME));
                CompletableFuture<Long> signal = new CompletableFuture<>();
                held.onLost(cause -> signal.complete(System.nanoTime()));
                long from = System.nanoTime();
                lose(server, contender);
                try {
                    told.add(signal.get(AT_MOST.toNanos(), TimeUnit.NANOSECONDS) - from);
                } catch (TimeoutException e) {
                    // counted by its absence
                }
                knew += held.validUntil() == Held.NO ? 1 : 0;
            }
        }
        return new Signals(rounds, told, knew);
    }

    private void lose(RedisServer server, Contender contender) {
        if (fault == Fault.DELETED) {
            Bench.keysOf(NAME, contender, List.of(server)).forEach(key -> server.command("DEL", key));
        } else {
            server.kill9();
            server.restart();
        }
    }
}
