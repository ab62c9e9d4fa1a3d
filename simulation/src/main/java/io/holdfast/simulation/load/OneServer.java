package io.holdfast.simulation.load;

import io.holdfast.redis.RedisStore;
import io.holdfast.simulation.audit.ServerAudit;
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
final class OneServer extends Housed {
    private final Server server;

    OneServer(Scene scene, ServerAudit audit) {
        super(scene, audit);
        Setup setup = scene.setup();
        this.server =
                new Server(scene.network(), new Host(scene.world(), "redis", Dice.of(setup.seed(), 6), 1.0, 0), audit);
        audit.looksAt(server);
        if (setup.topology() == Topology.FAILOVER) {
            Dice lag = Dice.of(setup.seed(), 9);
            server.replicate(() -> lag.oneIn(20) ? lag.below(500 * MS) : lag.below(3 * MS));
        }
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
    public void happen(Director.Blow blow) {
        if (blow.fault().kind() == Fault.Kind.NETWORK) {
            networkFaults.happen(blow, List.of(blow.site()), List.of(server));
        } else {
            serverFaults.happen(blow, server);
        }
    }
}
