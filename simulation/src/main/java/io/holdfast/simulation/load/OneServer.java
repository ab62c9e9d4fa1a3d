package io.holdfast.simulation.load;

import io.holdfast.redis.RedisStore;
import io.holdfast.simulation.audit.Homes;
import io.holdfast.simulation.audit.Liveness;
import io.holdfast.simulation.audit.Lookout;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.audit.Truth;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.net.SimLink;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Host;
import io.holdfast.simulation.world.SimPlatform;
import io.holdfast.spi.StoreFactory;
import java.util.List;
import java.util.function.Consumer;

/** One server, over a transport that is played; a replica may take its place, and nobody is told. */
final class OneServer implements Stage {
    private final Scene scene;
    private final Server server;
    private final Truth truth;
    private final Lookout lookout;
    private final NetworkFaults networkFaults;
    private final ServerFaults serverFaults;

    OneServer(Scene scene, ServerAudit audit) {
        Setup setup = scene.setup();
        this.scene = scene;
        this.server =
                new Server(scene.network(), new Host(scene.world(), "redis", Dice.of(setup.seed(), 6), 1.0, 0), audit);
        audit.looksAt(server);
        scene.latches().looksAt(server);
        if (setup.topology() == Topology.FAILOVER) {
            Dice lag = Dice.of(setup.seed(), 9);
            server.replicate(() -> lag.oneIn(20) ? lag.below(500_000_000L) : lag.below(3_000_000L));
        }
        this.truth = new Homes(
                name -> server,
                name -> Scene.PREFIX + "~fence",
                setup.everyName().subList(0, 1),
                audit,
                Scene.PREFIX);
        this.lookout = new Liveness(
                scene.world(),
                name -> server,
                scene.network(),
                audit,
                scene.latches(),
                Scene.PREFIX,
                setup.everyName(),
                scene.parties(),
                () -> scene.director().disturbedUntil());
        this.networkFaults = new NetworkFaults(scene);
        this.serverFaults = new ServerFaults(scene);
    }

    @Override
    public Scene scene() {
        return scene;
    }

    @Override
    public List<Server> servers() {
        return List.of(server);
    }

    @Override
    public Server home(String name) {
        return server;
    }

    @Override
    public StoreFactory store(SimPlatform platform, Consumer<Way> way) {
        return RedisStore.over(context -> {
            SimLink link =
                    new SimLink(platform, scene.network(), server, scene.setup().blocking());
            way.accept(link);
            return link;
        });
    }

    @Override
    public Truth truth() {
        return truth;
    }

    @Override
    public Lookout lookout() {
        return lookout;
    }

    @Override
    public void start() {
        if (scene.setup().counterKnown()) {
            long past = server.host().wallMicros() - 10_000_000;
            server.byHand("SET", Scene.PREFIX + "~fence", Long.toString(past));
        }
    }

    @Override
    public void happen(Director.Blow blow) {
        if (blow.fault().kind() == Fault.Kind.NETWORK) {
            networkFaults.happen(blow);
        } else {
            serverFaults.happen(blow, server);
        }
    }

    @Override
    public void heal() {
        ServerFaults.heal(scene, server);
    }
}
