package io.holdfast.simulation.load;

import io.holdfast.simulation.audit.Homes;
import io.holdfast.simulation.audit.Liveness;
import io.holdfast.simulation.audit.Lookout;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.audit.Truth;
import io.holdfast.simulation.net.Server;

/** Servers of which each has whole locks: what is the same whether there is one, or several that take each other's place. */
abstract class Housed implements Stage {
    static final long MS = 1_000_000L;

    final Scene scene;
    final NetworkFaults networkFaults;
    final ServerFaults serverFaults;
    private final Truth truth;
    private final Lookout lookout;

    Housed(Scene scene, ServerAudit audit) {
        this.scene = scene;
        this.truth = new Homes(this::home, this::counter, audit, Scene.PREFIX);
        this.lookout = new Liveness(
                scene.world(),
                this::home,
                this::isInReach,
                scene.network(),
                audit,
                scene.latches(),
                Scene.PREFIX,
                scene.setup().everyName(),
                scene.parties(),
                () -> scene.director().disturbedUntil());
        this.networkFaults = new NetworkFaults(scene);
        this.serverFaults = new ServerFaults(scene, this::counter);
        scene.latches().looksAt(() -> home(Counting.NAME));
    }

    /** The key that the tokens of a lock are counted at. */
    String counter(String name) {
        return Scene.PREFIX + "~fence";
    }

    /** Whether whoever is sound can use a lock, if its server is there. */
    boolean isInReach(String name) {
        return true;
    }

    @Override
    public final Scene scene() {
        return scene;
    }

    @Override
    public final Truth truth() {
        return truth;
    }

    @Override
    public final Lookout lookout() {
        return lookout;
    }

    /** What had an end by the clock of one server has it by that of another, which may be behind. */
    final void takesOver(Server from, Server to) {
        long behind = 1_000 * Math.max(0, from.host().wallMicros() - to.host().wallMicros());
        lookout.setBack(behind);
        scene.director().unsettled(behind + 8_000 * MS);
    }

    /** Once what the faults have done is over, the store answers. */
    @Override
    public boolean isExcusable(String client, String failure) {
        return !scene.director().isQuietSoFar()
                && scene.world().now() <= scene.director().disturbedUntil();
    }

    @Override
    public void start() {
        if (scene.setup().counterKnown()) {
            for (String name : scene.setup().everyName()) {
                Server server = home(name);
                if (server.model().value(counter(name)) == null) {
                    long past = server.host().wallMicros() - 10_000_000;
                    server.byHand("SET", counter(name), Long.toString(past));
                }
            }
        }
    }

    @Override
    public final void heal() {
        servers().forEach(server -> ServerFaults.heal(scene, server));
    }
}
