package io.holdfast.simulation.load;

import io.holdfast.Backoff;
import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.NamedElection;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.world.Dice;
import io.holdfast.spi.Share;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A service that wants to lead. While it does it writes with its token; when it is deposed it must be interrupted. */
final class Candidate implements Election.Task {
    /** What is led in a run. */
    static final String NAME = "lead";

    private static final long LOOK_NANOS = 20_000_000L;

    /** How late an interrupt may be. */
    private static final long SLACK_NANOS = 100_000_000L;

    private final Scene scene;
    private final Party party;
    private final Dice dice;
    private final Election.Candidacy candidacy;
    private long floor;
    private long called;
    private Peek.@Nullable Belief leads;
    private long toStopSince = Long.MAX_VALUE;
    private boolean closed;

    Candidate(Scene scene, Party party, Dice dice) {
        this.scene = scene;
        this.party = party;
        this.dice = dice;
        known();
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofMillis(scene.setup().leaseMillis()))
                .backoff(new Backoff(Duration.ofMillis(5), Duration.ofMillis(200)))
                .outageLimit(Duration.ofSeconds(2))
                .build();
        this.candidacy = new NamedElection(party.engine(), NAME, options).stand(this);
        look();
    }

    /** Whoever is elected from now on has a higher token than all before. */
    private void known() {
        floor = scene.auditor().floor(NAME, Share.WHOLE);
        called = scene.journal().now();
    }

    void close() {
        closed = true;
        candidacy.close();
    }

    @Override
    public void lead(Lease lease) throws InterruptedException {
        Peek.Belief belief = Peek.of(lease);
        try {
            scene.journal().granted(party.host().name() + " leads", NAME, Share.WHOLE, belief.token(), called);
            scene.auditor().acquired(party, belief, floor, true, Share.WHOLE);
            toStopSince = Long.MAX_VALUE;
            leads = belief;
            work(lease, belief);
        } catch (Violation e) {
            // Whatever a task throws is taken for its own affair.
            scene.world().after(0, () -> {
                throw e;
            });
        } finally {
            leads = null;
            known();
        }
    }

    private void work(Lease lease, Peek.Belief belief) throws InterruptedException {
        long most = scene.setup().leaseMillis() * 1_000_000;
        long until = party.platform().nanoTime() + dice.pick(50_000_000L, most / 2, 2 * most, 5 * most);
        while (until - party.platform().nanoTime() > 0) {
            party.platform().park(Math.min(until - party.platform().nanoTime(), 1 + dice.below(most)));
            if (party.platform().interrupted()) {
                scene.world().trace().add(party.host().name(), "is to stop leading with", belief.token());
                throw new InterruptedException();
            }
            scene.auditor().writes(party, NAME, belief.token(), lease.isValid());
        }
    }

    private void look() {
        Peek.Belief present = leads;
        if (!party.host().isDead() && !party.platform().isClosed() && !closed) {
            scene.world().after(LOOK_NANOS, this::look);
            if (present != null && dice.oneIn(300)) {
                candidacy.resign();
                toStopSince = Math.min(toStopSince, scene.world().now());
            }
        }
        if (present == null || party.host().isDead()) {
            return;
        }
        if (present.isLost()) {
            toStopSince = Math.min(toStopSince, scene.world().now());
        }
        long since = Math.max(toStopSince, party.host().sleptUntil());
        if (toStopSince != Long.MAX_VALUE && scene.world().now() - since > SLACK_NANOS) {
            throw new Violation(
                    "I8", "the leader with token " + present.token() + " was deposed, and was not interrupted");
        }
    }
}
