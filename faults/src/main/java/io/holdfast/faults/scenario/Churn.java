package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** A lock that was taken and given back very often, and is then held: what is left of the renewals of all those holds? */
record Churn(int threads, Duration time, Duration lease) implements Scenario<Churn.Renewals> {
    private static final Duration HELD = Duration.ofSeconds(5);
    private static final String NAME = "churn";

    /**
     * What was seen.
     *
     * @param churned how often it was taken and given back
     * @param scripts that the server ran while one lock was held
     * @param kept whether it was held to the end
     */
    record Renewals(long churned, long scripts, double seconds, boolean kept) {
        double perSecond() {
            return scripts / seconds;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%,.1f per second after %,d times%s",
                    perSecond(),
                    churned,
                    kept ? "" : "; the lock was lost meanwhile");
        }
    }

    @Override
    public String title() {
        return time.toSeconds() + " s of lock and unlock on one name by " + threads
                + (threads == 1 ? " thread" : " threads") + ", then one lock held for " + HELD.toSeconds()
                + " s (lease "
                + lease.toSeconds() + " s)";
    }

    @Override
    public String counted() {
        return "scripts that the server runs while the one lock is held; 3 in each lease renew it";
    }

    @Override
    public boolean isPatient() {
        return false;
    }

    @Override
    public Renewals play(Contender contender) throws Exception {
        try (RedisServer server = RedisServer.start();
                Session session = contender.open(Topology.SINGLE, List.of("127.0.0.1:" + server.port()), lease)) {
            long churned = churn(session);
            Held held = Bench.take(session, Bench.lock(NAME));
            Bench.sleep(lease); // whatever was under way has come
            long from = System.nanoTime();
            long before = scripts(server);
            Bench.sleep(HELD);
            long scripts = scripts(server) - before;
            double seconds = (System.nanoTime() - from) / 1e9;
            boolean kept = held.validUntil() != Held.NO;
            held.release();
            return new Renewals(churned, scripts, seconds, kept);
        }
    }

    private long churn(Session session) throws InterruptedException {
        AtomicLong churned = new AtomicLong();
        long end = System.nanoTime() + time.toNanos();
        List<Bench.Hand> hands = new ArrayList<>();
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Bench.Hand hand = new Bench.Hand("churn-" + i);
            hands.add(hand);
            all.add(hand.begin(() -> {
                while (System.nanoTime() - end < 0) {
                    Bench.take(session, Bench.lock(NAME)).release();
                    churned.incrementAndGet();
                }
                return true;
            }));
        }
        for (Future<Boolean> each : all) {
            Bench.Hand.result(each);
        }
        hands.forEach(Bench.Hand::close);
        return churned.get();
    }

    private static long scripts(RedisServer server) {
        Map<String, Long> calls = server.commandStats();
        return calls.getOrDefault("eval", 0L) + calls.getOrDefault("evalsha", 0L);
    }
}
