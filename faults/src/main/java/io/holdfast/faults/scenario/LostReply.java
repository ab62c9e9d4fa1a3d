package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RequestTrap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** An acquire that is carried out, and whose answer is lost with the connection. Then the lock is given back, once. */
record LostReply(Topology topology, int rounds) implements Scenario<LostReply.Outcome> {
    /** Long enough for one that sends again after a time-out of three seconds. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** When nothing is left that nobody renews. */
    private static final Duration LATER = LEASE.plusSeconds(3);

    private static final Duration WAIT = Duration.ofSeconds(30);

    /**
     * What was seen.
     *
     * @param lost in how many rounds the answer was lost, for certain
     * @param failed how many of these ended with an error, or without the lock, so that there was nothing to give back
     * @param stayed how many of those had not gone by then
     * @param left how many locks had not gone after one unlock
     * @param again how many of those were unlocked once more at once
     * @param twice how many of those went then: they had been counted twice
     * @param renewed how many of all that had not gone were still there when a lease and three seconds had passed
     */
    record Outcome(int rounds, int lost, int failed, int stayed, int left, int again, int twice, int renewed) {
        @Override
        public String toString() {
            String text = "free after one unlock in " + (lost - failed - left) + " of " + lost;
            if (lost < rounds) {
                text += " (" + rounds + " played; in the others the reply was not lost)";
            }
            if (failed > 0) {
                text += ", " + failed + " ended with an error, " + stayed + " of these stayed locked";
            }
            if (left > 0) {
                text += ", " + left + " stayed locked after the unlock; of " + again + " that were unlocked once more "
                        + twice + " went: counted twice";
            }
            if (stayed + left > 0) {
                text += "; locked for longer than the lease: " + renewed;
            }
            return text;
        }
    }

    @Override
    public String title() {
        return "an acquire is carried out and its reply lost ("
                + (topology == Topology.SINGLE
                        ? "one server, connection dropped by a proxy"
                        : topology.text() + ", connection killed by the master")
                + "), " + rounds + " times (lease " + LEASE.toSeconds() + " s)";
    }

    @Override
    public String counted() {
        return "locks that are free after one unlock; all should be";
    }

    @Override
    public List<String> rivals() {
        return topology == Topology.SINGLE ? List.of("redisson") : List.of("redisson", "redisson-once");
    }

    @Override
    public boolean isExact() {
        return topology != Topology.SINGLE;
    }

    @Override
    public Outcome play(Contender contender) throws Exception {
        int lost = 0;
        int failed = 0;
        int stayed = 0;
        int left = 0;
        int again = 0;
        int twice = 0;
        List<String> remaining = new ArrayList<>();
        try (Servers site = Servers.start(topology);
                Bench.Hand hand = new Bench.Hand("holder");
                Session session = contender.open(topology, site.addresses(), LEASE)) {
            for (int i = 0; i < rounds; i++) {
                // One slot for all, the same for every contender; scripts are there from the first time on.
                String warm = "{slot}warm" + i;
                hand.run(() -> Bench.take(session, Bench.lock(warm)).release());
                String name = "{slot}lost" + i;
                Take take = new Take(site, session, hand, name);
                if (!take.loseReply()) {
                    continue;
                }
                lost++;
                Held held = take.held();
                if (held == null) {
                    failed++;
                } else {
                    hand.run(held::release);
                }
                if (isThere(name, contender, site)) {
                    if (held == null) {
                        stayed++;
                    } else {
                        left++;
                        if (left % 2 == 1) { // the others are left alone, to see what becomes of them
                            again++;
                            hand.run(held::release);
                            twice += isThere(name, contender, site) ? 0 : 1;
                        }
                    }
                    remaining.add(name);
                }
            }
            if (!remaining.isEmpty()) {
                Bench.sleep(LATER);
            }
            remaining.removeIf(name -> !isThere(name, contender, site));
            return new Outcome(rounds, lost, failed, stayed, left, again, twice, remaining.size());
        }
    }

    private static boolean isThere(String name, Contender contender, Servers site) {
        return !Bench.keysOf(name, contender, site.masters().get()).isEmpty();
    }

    /** One acquire, on the thread that will give it back. */
    private static final class Take {
        private final Servers site;
        private final Session session;
        private final Bench.Hand hand;
        private final String name;
        private @Nullable Future<@Nullable Held> taken;

        Take(Servers site, Session session, Bench.Hand hand, String name) {
            this.site = site;
            this.session = session;
            this.hand = hand;
            this.name = name;
        }

        /** Whether it went as planned. */
        boolean loseReply() throws InterruptedException {
            if (site.networks().isEmpty()) {
                RedisServer master = site.masterOf(name);
                return Moment.loseReply(master, name, this::begin);
            }
            RequestTrap trap = site.networks().get(0).dropConnectionAfterNextRequestContaining(name);
            begin();
            trap.awaitSprung(Bench.PATIENCE);
            return true;
        }

        private void begin() {
            taken = hand.begin(() -> session.take(Bench.lock(name), WAIT));
        }

        @Nullable
        Held held() throws InterruptedException {
            Future<@Nullable Held> under = taken;
            if (under == null) {
                throw new IllegalStateException("nothing was asked for");
            }
            try {
                return Bench.Hand.result(under);
            } catch (RuntimeException e) {
                return null;
            }
        }
    }
}
