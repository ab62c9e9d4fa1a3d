package io.holdfast.simulation.load;

import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.world.Dice;
import java.util.ArrayList;
import java.util.List;

/** Lets the faults happen that the seed has drawn, and ends them. */
public final class Director {
    private static final long MS = 1_000_000L;

    private final Scene scene;
    private final ClientFaults clientFaults;
    private final Operator operator;
    private final List<Setup.Planned> left;
    private long disturbedUntil;
    private long harmedUntil;
    private int pending;
    private boolean quiet = true;
    private int happened;

    /**
     * A fault, and whom it hits.
     *
     * @param length how long it lasts, if it lasts
     * @param calm whether what earlier faults have done is over
     */
    record Blow(Fault fault, Dice dice, Site site, String name, long length, boolean calm) {}

    Director(Scene scene) {
        this.scene = scene;
        this.clientFaults = new ClientFaults(scene, this);
        this.operator = new Operator(scene);
        this.left = new ArrayList<>(scene.setup().faults());
        left.removeIf(planned -> !scene.mask().keepsFault(planned.index()));
    }

    /** Before the first fault. */
    boolean isQuietSoFar() {
        return quiet;
    }

    /** When what the faults have done must be over. */
    public long disturbedUntil() {
        return disturbedUntil;
    }

    /** Whether every fault has happened. */
    public boolean isDone() {
        return left.isEmpty() && pending == 0;
    }

    void called(int calls) {
        left.removeIf(planned -> {
            if (planned.afterCalls() > calls) {
                return false;
            }
            pending++;
            scene.world().after(planned.delayNanos(), () -> {
                pending--;
                happen(planned);
            });
            return true;
        });
    }

    /** Lets the rest happen now: nobody calls any more. */
    public void hurry() {
        called(Integer.MAX_VALUE);
    }

    /** Ends everything that still lasts. */
    public void heal() {
        scene.network().heal();
        scene.stage().heal();
    }

    /** Often one that holds a lock: there is more to break. */
    private Site site(Dice dice) {
        List<Site> holders = scene.sites().stream()
                .filter(site -> Peek.held(site.party().engine()) > 0)
                .toList();
        return holders.isEmpty() || dice.oneIn(2) ? dice.pick(scene.sites()) : dice.pick(holders);
    }

    /** What was done lasts so long, and then takes some time to mend. */
    void disturbed(long nanos) {
        unsettled(nanos);
        harmedUntil = Math.max(harmedUntil, disturbedUntil);
    }

    /** The same, by something that costs nobody what it holds. */
    void unsettled(long nanos) {
        long recovery = 2_000 * MS + 3 * scene.setup().timeoutMillis() * MS;
        disturbedUntil = Math.max(disturbedUntil, scene.world().now() + nanos + recovery);
    }

    /** Until when somebody may lose what it holds. */
    long harmedUntil() {
        return harmedUntil;
    }

    private void happen(Setup.Planned planned) {
        Dice dice = Dice.of(scene.setup().seed(), 8, planned.index());
        Site site = site(dice);
        Party party = site.party();
        if (party.host().isDead()) {
            return; // its successor is not there yet
        }
        long now = scene.world().now();
        long lease = scene.setup().leaseMillis() * MS;
        long timeout = scene.setup().timeoutMillis() * MS;
        long length = dice.pick(timeout / 2, timeout * 2, lease / 2, lease, 2 * lease);
        String name = dice.pick(scene.setup().names());
        quiet = false;
        happened++;
        scene.world().trace().add("fault", planned.fault() + " " + party.host().name() + " " + name, length);
        boolean calm = now > disturbedUntil;
        if (planned.fault() != Fault.SLOT_MOVES && planned.fault() != Fault.FORCED_RELEASE) {
            disturbed(length);
        }
        Blow blow = new Blow(planned.fault(), dice, site, name, length, calm);
        switch (planned.fault().kind()) {
            case CLIENT -> clientFaults.happen(blow);
            case NETWORK, SERVER -> scene.stage().happen(blow);
            case OPERATOR -> operator.happen(blow);
        }
    }

    /** How many faults there have been. */
    int happened() {
        return happened;
    }
}
