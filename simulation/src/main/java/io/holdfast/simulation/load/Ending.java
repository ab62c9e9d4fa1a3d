package io.holdfast.simulation.load;

import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.NamedLock;
import io.holdfast.internal.Order;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.world.Fiber;
import io.holdfast.simulation.world.World;
import java.time.Duration;
import java.util.List;

/** The end of a run, when the faults are over: everybody gets on, every lock can be had, and nothing is left behind. */
public final class Ending {
    private static final long SECOND = 1_000_000_000L;
    private static final long TICKETS_LIVE = 12 * SECOND;

    private final Scene scene;
    private final World world;

    Ending(Scene scene) {
        this.scene = scene;
        this.world = scene.world();
    }

    /** Passes, or throws what is wrong. */
    public void judge() throws Throwable {
        if (!world.runUntil(scene::isDone, world.now() + 120 * SECOND)) {
            throw new Violation("L5", "the faults are over, and still there is no end to " + scene.stuck());
        }
        scene.sites().forEach(Site::retire);
        pass(SECOND
                + 4 * scene.setup().timeoutMillis() * 1_000_000
                + scene.setup().longestLeaseNanos());
        atRest();
        for (String name : scene.setup().everyName()) {
            canBeHad(name);
        }
        scene.auditor().everyLossWasSignalled();
        if (scene.auditor().modelWasKept()) {
            scene.journal().judge();
        }
        closeAll();
        pass(2 * scene.setup().longestLeaseNanos() + TICKETS_LIVE + 10 * SECOND);
        nothingLeft();
    }

    private void pass(long nanos) throws Throwable {
        world.runUntil(() -> false, world.now() + nanos);
    }

    private List<Party> living() {
        return scene.parties().stream().filter(party -> !party.host().isDead()).toList();
    }

    private void atRest() {
        for (Party party : living()) {
            if (!Peek.waiting(party.engine()).isEmpty()) {
                throw new Violation("H1", "nobody waits, and " + Peek.waiting(party.engine()) + " are kept as waiting");
            }
            if (Peek.hasLines(party.engine())) {
                throw new Violation("H1", "nobody wants a lock, and a line is kept for one");
            }
            if (Peek.held(party.engine()) != 0) {
                throw new Violation(
                        "H1", "nobody holds a lock, and " + Peek.held(party.engine()) + " leases are watched");
            }
            // The inbox is pinged, or about to be opened again, as long as the client lives.
            if (party.platform().pendingTimers() > scene.stage().idleTimers()) {
                throw new Violation(
                        "H1", "nothing is going on, and " + party.platform().pendingTimers() + " timers are set");
            }
            if (Peek.underWay(party.engine()) != 0) {
                throw new Violation("H1", Peek.underWay(party.engine()) + " requests are never answered");
            }
        }
    }

    private void canBeHad(String name) throws Throwable {
        Party party = scene.sites().get(0).party();
        long within = scene.setup().longestLeaseNanos() + 3 * SECOND;
        boolean[] got = new boolean[1];
        String[] why = {""};
        Fiber probe = world.start(party.host(), "probe", () -> {
            NamedLock lock = new NamedLock(
                    party.engine(),
                    name,
                    scene.setup().atTheEnd(),
                    scene.setup().all(),
                    Order.LINE);
            try {
                got[0] = lock.tryLock(Duration.ofNanos(within));
                lock.unlock();
            } catch (StoreUnavailableException | StoreRefusedException e) {
                why[0] = ": " + e.getMessage();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts the probe", e);
            }
        });
        world.runUntil(probe::isDone, world.now() + 4 * within);
        if (!got[0]) {
            throw new Violation("L5", "the faults are over, and lock " + name + " cannot be had" + why[0]);
        }
    }

    private void closeAll() throws Throwable {
        for (Party party : living()) {
            Fiber closer =
                    world.start(party.host(), "closer", () -> party.engine().close());
            if (!world.runUntil(closer::isDone, world.now() + 60 * SECOND)) {
                throw new Violation("L5", "the client of " + party.host().name() + " cannot be closed");
            }
        }
    }

    private void nothingLeft() {
        for (Server server : scene.stage().servers()) {
            List<String> keys = server.model().keys().stream()
                    .filter(key -> !key.startsWith(Scene.PREFIX + "~fence"))
                    .toList();
            if (!keys.isEmpty()) {
                throw new Violation("H1", "left on " + server.host().name() + ": " + keys);
            }
            if (server.subscriptions() != 0) {
                throw new Violation(
                        "H1",
                        server.subscriptions() + " subscriptions are left on "
                                + server.host().name());
            }
        }
        for (Party party : living()) {
            if (Peek.held(party.engine()) != 0) {
                throw new Violation("H1", "a closed client still watches leases");
            }
        }
    }
}
