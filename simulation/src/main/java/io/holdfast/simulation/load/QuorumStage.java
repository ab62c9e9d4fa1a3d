package io.holdfast.simulation.load;

import io.holdfast.redis.RedlockStore;
import io.holdfast.simulation.audit.Lookout;
import io.holdfast.simulation.audit.QuorumAudit;
import io.holdfast.simulation.audit.QuorumLookout;
import io.holdfast.simulation.audit.Truth;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.net.SimNet;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Host;
import io.holdfast.simulation.world.SimPlatform;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Servers that know nothing of each other. The store on them is the real one, down to the sockets. */
final class QuorumStage implements Stage {
    private static final long MS = 1_000_000L;

    private final Scene scene;
    private final List<Server> servers = new ArrayList<>();
    private final Map<String, Server> byName = new LinkedHashMap<>();
    private final QuorumAudit audit;
    private final Lookout lookout;
    private final QuorumFaults faults;
    private final Troubles troubles;
    private final long nodeTimeoutMillis;
    private final int majority;

    QuorumStage(Scene scene) {
        Setup setup = scene.setup();
        this.scene = scene;
        int count = setup.topology().servers();
        this.majority = count / 2 + 1;
        scene.network().apart();
        this.audit = new QuorumAudit(scene.world(), scene.hits(), Scene.PREFIX, setup.maxLeaseMillis() * MS, majority);
        Dice dice = Dice.of(setup.seed(), 20);
        this.nodeTimeoutMillis = dice.pick(20L, 50L, 50L, 100L);
        boolean wide = dice.oneIn(8);
        for (int i = 0; i < count; i++) {
            // Half a second apart is what clocks may be that nobody looks after; with more it takes longer.
            long offset = dice.between(-250, 250) * (wide ? 10 : 1) * MS;
            double rate = 1.0 + 0.0005 * (2 * dice.fraction() - 1);
            String name = "n" + (i + 1);
            Host host = new Host(scene.world(), name, Dice.of(setup.seed(), 6, i), rate, offset);
            Server server = new Server(scene.network(), host, audit.at(i));
            server.model().number(i + 1);
            audit.add(server);
            servers.add(server);
            byName.put(name, server);
        }
        this.troubles = new Troubles(scene.world(), count - majority);
        this.lookout = new QuorumLookout(
                scene.world(),
                servers,
                scene.network(),
                Scene.PREFIX,
                setup.everyName(),
                scene.parties(),
                () -> scene.director().disturbedUntil());
        this.faults = new QuorumFaults(scene, servers, troubles);
    }

    @Override
    public Scene scene() {
        return scene;
    }

    @Override
    public List<Server> servers() {
        return servers;
    }

    @Override
    public Server home(String name) {
        throw new IllegalStateException("it is on several");
    }

    @Override
    public StoreFactory store(SimPlatform platform, Consumer<Way> way) {
        SimNet net = new SimNet(platform, scene.network(), byName, Scene.PREFIX + "~inbox:", majority);
        platform.dialsBy(net);
        way.accept(net);
        return RedlockStore.on(byName.keySet().stream()
                        .map(name -> "redis://" + name + ":6379")
                        .toArray(String[]::new))
                .maxLease(Duration.ofMillis(scene.setup().maxLeaseMillis()))
                .nodeTimeout(Duration.ofMillis(nodeTimeoutMillis));
    }

    @Override
    public Truth truth() {
        return audit;
    }

    @Override
    public Lookout lookout() {
        return lookout;
    }

    @Override
    public void start() {
        Dice dice = Dice.of(scene.setup().seed(), 21);
        for (Server server : servers) {
            // Counters that are not the same, as servers have them that were not always all there.
            if (scene.setup().counterKnown() && !dice.oneIn(6)) {
                long past = server.host().wallMicros() - dice.below(10_000_000L);
                server.byHand("SET", Scene.PREFIX + "~fence", Long.toString(past));
            }
        }
    }

    @Override
    public void happen(Director.Blow blow) {
        faults.happen(blow);
    }

    @Override
    public void heal() {
        servers.forEach(server -> ServerFaults.heal(scene, server));
    }

    @Override
    public int idleTimers() {
        return 2 + 2 * servers.size();
    }

    /** However many votes it takes. */
    @Override
    public long callNanos() {
        return scene.setup().timeoutMillis() * MS;
    }

    @Override
    public void clientInTrouble(String client, long until) {
        troubles.client(client, until);
    }

    /**
     * A minority of the servers must not matter to those who want a lock. A lease that is held loses one server after the
     * other, and none comes back to it, so it may fail for what was long ago.
     */
    @Override
    public boolean isExcusable(String client, String failure) {
        boolean judged = failure.contains(" servers granted the lock");
        return (!judged && !scene.director().isQuietSoFar())
                || !troubles.isMinorityOnly(client, 3 * scene.setup().leaseMillis() * MS);
    }
}
