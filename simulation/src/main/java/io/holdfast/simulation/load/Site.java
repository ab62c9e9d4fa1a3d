package io.holdfast.simulation.load;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.internal.Engine;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Host;
import io.holdfast.simulation.world.SimPlatform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A service that uses locks: a client and its threads. If its process dies, or closes its client, another follows. */
final class Site {
    private final Scene scene;
    final int index;
    final List<Actor> actors = new ArrayList<>();
    private int generation;
    private Party party;
    private @Nullable Candidate candidate;
    private final List<Way> ways = new ArrayList<>();

    Site(Scene scene, int index) {
        this.scene = scene;
        this.index = index;
        this.party = open(newHost());
    }

    Party party() {
        return party;
    }

    private Host newHost() {
        Setup setup = scene.setup();
        String name = "c" + (index + 1) + (generation == 0 ? "" : "." + generation);
        Dice dice = Dice.of(setup.seed(), 4, index, generation);
        generation++;
        return new Host(scene.world(), name, dice, setup.rates().get(index), 1_000_000_000L * (index * 3L - 4));
    }

    private Party open(Host host) {
        Setup setup = scene.setup();
        // The first number a client draws is its id: a copied machine draws the same.
        boolean copy = setup.copied() && index == 1 && ways.isEmpty();
        SimPlatform platform = new SimPlatform(
                host, setup.blocking(), copy ? Dice.of(setup.seed(), 4, 0, 0).next() : null);
        Way[] way = new Way[1];
        Engine engine = Engine.open(
                scene.stage().store(platform, made -> way[0] = made),
                Scene.PREFIX,
                Duration.ofMillis(setup.timeoutMillis()),
                platform,
                List.of(new Alarm()));
        Party opened = new Party(host, platform, engine, way[0], setup.timeoutMillis() * 1_000_000);
        scene.parties().add(opened);
        ways.add(way[0]);
        if (setup.elects()) {
            candidate = new Candidate(scene, opened, Dice.of(setup.seed(), 13, index, ways.size()));
        }
        return opened;
    }

    /** From now on it does not want to lead. */
    void retire() {
        if (candidate != null) {
            candidate.close();
        }
    }

    /** The process dies, and another one takes its place after a while. */
    void crash(long restartNanos) {
        Party dead = party;
        dead.host().die();
        ways.forEach(Way::die);
        scene.world().after(restartNanos, () -> {
            if (party.equals(dead)) {
                party = open(newHost());
                actors.forEach(Actor::startAgain);
            }
        });
    }

    /** The client is closed by one of its threads, and opened anew. */
    void close(@Nullable Runnable whenClosed) {
        Party old = party;
        party = open(old.host());
        scene.world().start(old.host(), old.host().name() + "/closer", () -> {
            old.engine().close();
            scene.world().trace().add(old.host().name(), "is closed");
            if (whenClosed != null) {
                whenClosed.run();
            }
        });
    }

    /** Tells the auditor of every loss, as an alarm would be raised. */
    private final class Alarm implements LockListener {
        @Override
        public void lost(Hold hold, Loss loss) {
            scene.lost(hold, loss);
        }
    }
}
