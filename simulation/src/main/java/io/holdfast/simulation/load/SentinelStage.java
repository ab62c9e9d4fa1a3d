package io.holdfast.simulation.load;

import io.holdfast.redis.RedisStoreProvider;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.audit.Violation;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A master with two replicas, and three Sentinels that tell who it is. The client is the real one, down to the sockets. The
 * replicas follow with a lag; what they have not got when one of them is made the master is lost.
 */
final class SentinelStage extends Housed {
    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;
    private static final String NAME = "mymaster";

    /** What a client takes to ask another Sentinel than the one it listens to: at the second look, if one is slow to answer. */
    private static final long LOOKS = 8_000 * MS;

    private final List<Server> servers = new ArrayList<>();
    private final List<Server> sentinels = new ArrayList<>();
    private final Map<String, Server> byName = new LinkedHashMap<>();

    /** Whom each Sentinel takes for the master. */
    private final Map<Server, Server> told = new HashMap<>();

    /** Those who take themselves for the master. */
    private final List<Server> masters = new ArrayList<>();

    private final Replication replication;
    private Server master;

    /** How often there was a new master: what a Sentinel hears of an earlier one later does not count. */
    private int epoch;

    private final Map<Server, Integer> heard = new HashMap<>();

    /** The Sentinel that is cut off from the others, together with an old master. */
    private @Nullable Server cutOff;

    /** Whether a replica is about to take the place of the master; it is chosen once. */
    private boolean failing;

    SentinelStage(Scene scene, ServerAudit audit) {
        super(scene, audit);
        Setup setup = scene.setup();
        this.replication = new Replication(scene, this::replicas);
        for (int i = 0; i <= REPLICAS; i++) {
            Server[] self = new Server[1];
            Server.Watcher look = audit.at(() -> Objects.requireNonNull(self[0]));
            Supplier<Server> me = () -> Objects.requireNonNull(self[0]);
            Server.Watcher watcher = replication.behind(new Look(look, me), me);
            self[0] = server("r" + (i + 1), i, setup, watcher);
            servers.add(self[0]);
        }
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(server("s" + (i + 1), 10 + i, setup, new Unwatched()));
        }
        this.master = servers.get(0);
        masters.add(master);
        for (Server server : servers) {
            server.takes((command, asking) -> asServer(server, command));
            replication.catchUp(server, server);
        }
        for (Server sentinel : sentinels) {
            sentinel.takes((command, asking) -> asSentinel(sentinel, command));
            told.put(sentinel, master);
        }
        if (Dice.of(setup.seed(), 24).oneIn(3)) {
            // One of them is always out; the others do.
            Dice.of(setup.seed(), 25).pick(sentinels).crash();
        }
        audit.looksAt(master);
    }

    private Server server(String name, int number, Setup setup, Server.Watcher watcher) {
        long offset = number == 0 ? 0 : Dice.of(setup.seed(), 22, number).between(-50, 50) * MS;
        Host host = new Host(scene.world(), name, Dice.of(setup.seed(), 6, number), 1.0, offset);
        Server server = new Server(scene.network(), host, watcher);
        server.model().number(number + 1);
        byName.put(name, server);
        return server;
    }

    private List<Server> replicas(Server from) {
        return from != master
                ? List.of()
                : servers.stream().filter(server -> server != from).toList();
    }

    /** What an old master does is lost, and nobody is to ask it once the news has gone round. */
    private final class Look implements Server.Watcher {
        private final Server.Watcher next;
        private final Supplier<Server> self;

        Look(Server.Watcher next, Supplier<Server> self) {
            this.next = next;
            this.self = self;
        }

        @Override
        public void before(List<String> command) {
            next.before(command);
        }

        @Override
        public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
            next.after(command, reply, late, again);
            if (command.get(0).startsWith("EVAL") && self.get() != master) {
                scene.auditor().excuseAll();
                scene.auditor().twoCounters();
                if (scene.world().now() > scene.director().disturbedUntil()) {
                    throw new Violation(
                            "I5", "an old master is asked, and everybody should know who has taken its place");
                }
            }
        }
    }

    /** What a Sentinel does is nobody's concern. */
    private static final class Unwatched implements Server.Watcher {
        @Override
        public void before(List<String> command) {}

        @Override
        public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {}
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
        String known = Objects.requireNonNull(told.get(sentinel)).host().name();
        return command.get(1).equals("master")
                ? List.of("name", NAME, "ip", known, "config-epoch", Integer.toString(heard.getOrDefault(sentinel, 0)))
                : List.of(known, "6379");
    }

    // --- failover

    /** The master dies, is told to give up, or falls silent; a replica takes its place. */
    private void failover(Director.Blow blow) {
        Server old = master;
        if (!old.isUp() || old.host().isAsleep() || masters.size() > 1 || failing) {
            return;
        }
        failing = true;
        Dice dice = blow.dice();
        long noticed = dice.between(20, 600) * MS;
        switch (dice.below(4)) {
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
            case 2 -> {
                // It is cut off from the others, and not from the clients: it takes itself for the master on and on.
                // And a
                // Sentinel may be cut off with it, if the other two are there to do without.
                if (dice.oneIn(2) && sentinels.stream().allMatch(Server::isUp)) {
                    cutOff = dice.pick(sentinels);
                    scene.director().disturbed(noticed + LOOKS);
                }
                scene.world().after(noticed, () -> promote(dice, blow.name()));
                scene.world().after(noticed + 60_000 * MS, () -> {
                    cutOff = null;
                    demote(old);
                });
                scene.hits().hit(25);
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
        failing = false;
        Server old = master;
        List<Server> others = servers.stream()
                .filter(server -> server != old && server.isUp() && !masters.contains(server))
                .toList();
        if (others.isEmpty()) {
            return;
        }
        Server next = dice.pick(others);
        String before = old.model().value(Scene.PREFIX + name);
        replication.restore(next);
        master = next;
        masters.add(next);
        scene.world().trace().add(next.host().name(), "is the master now, after", old.host());
        scene.hits().hit(12);
        if (!Objects.equals(before, next.model().value(Scene.PREFIX + name))) {
            scene.hits().hit(24);
        }
        takesOver(old, next);
        serverFaults.stateLost();
        int now = ++epoch;
        for (Server sentinel : sentinels) {
            scene.world().after(dice.below(200 * MS), () -> {
                if (heard.getOrDefault(sentinel, 0) > now || sentinel == cutOff) {
                    return;
                }
                heard.put(sentinel, now);
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
    public void happen(Director.Blow blow) {
        if (blow.fault() == Fault.FAILOVER) {
            failover(blow);
        } else if (blow.fault().kind() == Fault.Kind.NETWORK) {
            networkFaults.happen(blow, List.of(blow.site()), servers);
        } else {
            serverFaults.happen(blow, master);
        }
    }

    @Override
    public int idleTimers() {
        return 5;
    }
}
