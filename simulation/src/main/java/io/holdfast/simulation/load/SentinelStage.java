package io.holdfast.simulation.load;

import io.holdfast.redis.RedisStoreProvider;
import io.holdfast.simulation.audit.Homes;
import io.holdfast.simulation.audit.Liveness;
import io.holdfast.simulation.audit.Lookout;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.audit.Truth;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.net.SimNet;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Host;
import io.holdfast.simulation.world.SimPlatform;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreUri;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A master with two replicas, and three Sentinels that tell who it is. The client is the real one, down to the sockets. The
 * replicas follow with a lag; what they have not got when one of them is made the master is lost.
 */
final class SentinelStage implements Stage {
    private static final long MS = 1_000_000L;
    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;
    private static final String NAME = "mymaster";

    private final Scene scene;
    private final List<Server> servers = new ArrayList<>();
    private final List<Server> sentinels = new ArrayList<>();
    private final Map<String, Server> byName = new LinkedHashMap<>();

    /** What has come to a replica by now. */
    private final Map<Server, RedisModel.Snapshot> followed = new HashMap<>();

    /** Whom each Sentinel takes for the master. */
    private final Map<Server, Server> told = new HashMap<>();

    /** Those who take themselves for the master. */
    private final List<Server> masters = new ArrayList<>();

    private final Dice lag;
    private final Truth truth;
    private final Lookout lookout;
    private final NetworkFaults networkFaults;
    private final ServerFaults serverFaults;
    private Server master;
    private int term;

    SentinelStage(Scene scene, ServerAudit audit) {
        Setup setup = scene.setup();
        this.scene = scene;
        this.lag = Dice.of(setup.seed(), 9);
        for (int i = 0; i <= REPLICAS; i++) {
            Server[] self = new Server[1];
            Server.Watcher look = audit.at(() -> Objects.requireNonNull(self[0]));
            self[0] = server("r" + (i + 1), i, setup, new Follow(look, () -> Objects.requireNonNull(self[0])));
            servers.add(self[0]);
        }
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(server("s" + (i + 1), 10 + i, setup, new Follow(null, () -> null)));
        }
        this.master = servers.get(0);
        masters.add(master);
        for (Server server : servers) {
            server.takes((command, asking) -> asServer(server, command));
            followed.put(server, server.model().snapshot());
        }
        for (Server sentinel : sentinels) {
            sentinel.takes((command, asking) -> asSentinel(sentinel, command));
            told.put(sentinel, master);
        }
        audit.looksAt(master);
        scene.latches().looksAt(master);
        this.truth = new Homes(
                name -> master,
                name -> Scene.PREFIX + "~fence",
                setup.everyName().subList(0, 1),
                audit,
                Scene.PREFIX);
        this.lookout = new Liveness(
                scene.world(),
                name -> master,
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

    private Server server(String name, int number, Setup setup, Server.Watcher watcher) {
        long offset = number == 0 ? 0 : Dice.of(setup.seed(), 22, number).between(-50, 50) * MS;
        Host host = new Host(scene.world(), name, Dice.of(setup.seed(), 6, number), 1.0, offset);
        Server server = new Server(scene.network(), host, watcher);
        server.model().number(number + 1);
        byName.put(name, server);
        return server;
    }

    /** Passes on to the replicas what the master does. */
    private final class Follow implements Server.Watcher {
        private final Server.@Nullable Watcher next;
        private final java.util.function.Supplier<@Nullable Server> self;

        Follow(Server.@Nullable Watcher next, java.util.function.Supplier<@Nullable Server> self) {
            this.next = next;
            this.self = self;
        }

        @Override
        public void before(List<String> command) {
            if (next != null) {
                next.before(command);
            }
        }

        @Override
        public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
            if (next != null) {
                next.after(command, reply, late, again);
            }
            Server from = self.get();
            if (from == null || from != master) {
                return;
            }
            RedisModel.Snapshot now = from.model().snapshot();
            int during = term;
            int life = from.life();
            for (Server replica : servers) {
                if (replica != from) {
                    long later = lag.oneIn(20) ? lag.below(500 * MS) : lag.below(3 * MS);
                    scene.world().after(later, () -> {
                        // What had left the master before it died arrives; the rest does not.
                        if (term == during && from.life() == life) {
                            followed.put(replica, now);
                        }
                    });
                }
            }
        }
    }

    private @Nullable Object asServer(Server server, List<String> command) {
        boolean leads = masters.contains(server);
        if (command.get(0).equals("ROLE")) {
            return leads
                    ? List.of("master", 0L, List.of())
                    : List.of("slave", master.host().name(), 6379L, "connected", 0L);
        }
        return leads || !command.get(0).startsWith("EVAL")
                ? null
                : new RedisModel.ErrorReply("READONLY You can't write against a read only replica.");
    }

    private @Nullable Object asSentinel(Server sentinel, List<String> command) {
        if (!command.get(0).equals("SENTINEL")) {
            return null;
        }
        Server known = Objects.requireNonNull(told.get(sentinel));
        return List.of(known.host().name(), "6379");
    }

    // --- failover

    /** The master dies, is told to give up, or falls silent; a replica takes its place. */
    private void failover(Director.Blow blow) {
        Server old = master;
        if (!old.isUp() || old.host().isAsleep() || masters.size() > 1) {
            return;
        }
        Dice dice = blow.dice();
        long noticed = dice.between(20, 600) * MS;
        switch (dice.below(3)) {
            case 0 -> {
                old.crash();
                scene.world().after(noticed, () -> promote(dice, blow.name()));
                scene.world().after(noticed + blow.length(), () -> {
                    // Its Sentinels make it a replica before anybody writes to it.
                    demote(old);
                    old.restart();
                });
            }
            case 1 -> {
                promote(dice, blow.name());
                demote(old);
            }
            default -> {
                // Nobody knows whether it is dead; when it wakes it takes itself for the master, until it is told.
                old.host().sleep(noticed + blow.length(), false);
                scene.world().after(noticed, () -> promote(dice, blow.name()));
                scene.world().after(noticed + blow.length() + dice.below(1_000 * MS), () -> demote(old));
                scene.hits().hit(25);
            }
        }
        scene.director().disturbed(noticed + blow.length() + 1_000 * MS);
    }

    private void promote(Dice dice, String name) {
        Server old = master;
        List<Server> others = servers.stream()
                .filter(server -> server != old && server.isUp() && !masters.contains(server))
                .toList();
        if (others.isEmpty()) {
            return;
        }
        Server next = dice.pick(others);
        String before = old.model().value(Scene.PREFIX + name);
        next.model().restore(Objects.requireNonNull(followed.get(next)));
        term++;
        master = next;
        masters.add(next);
        scene.world().trace().add(next.host().name(), "is the master now, after", old.host());
        scene.hits().hit(12);
        if (!Objects.equals(before, next.model().value(Scene.PREFIX + name))) {
            scene.hits().hit(24);
        }
        serverFaults.stateLost();
        for (Server sentinel : sentinels) {
            scene.world().after(dice.below(200 * MS), () -> {
                told.put(sentinel, next);
                sentinel.tell(
                        "+switch-master",
                        NAME + " " + old.host().name() + " 6379 " + next.host().name() + " 6379");
            });
        }
    }

    /** From now on it is a replica, and those who were connected to it are cut off. */
    private void demote(Server old) {
        if (old != master) {
            masters.remove(old);
            old.resetAll(null);
            scene.world().trace().add(old.host().name(), "is a replica now");
        }
    }

    // --- the rest

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
        return master;
    }

    @Override
    public StoreFactory store(SimPlatform platform, Consumer<Way> way) {
        SimNet net = new SimNet(platform, scene.network(), byName, Scene.PREFIX + "~inbox:", 1);
        platform.dialsBy(net);
        way.accept(net);
        return new RedisStoreProvider().factory(new StoreUri("redis-sentinel://s1:26379,s2:26379,s3:26379/" + NAME));
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
            long past = master.host().wallMicros() - 10_000_000;
            master.byHand("SET", Scene.PREFIX + "~fence", Long.toString(past));
        }
    }

    @Override
    public void happen(Director.Blow blow) {
        if (blow.fault() == Fault.FAILOVER) {
            failover(blow);
        } else if (blow.fault().kind() == Fault.Kind.NETWORK) {
            networkFaults.happen(blow);
        } else {
            serverFaults.happen(blow, master);
        }
    }

    @Override
    public void heal() {
        servers.forEach(server -> ServerFaults.heal(scene, server));
    }

    @Override
    public int idleTimers() {
        return 4;
    }
}
