package io.holdfast.simulation.load;

import io.holdfast.redis.RedisStoreProvider;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.net.Commands;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.net.SimNet;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.redis.Slots;
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
 * Three masters with a replica each. The client is the real one, down to the sockets. Slots move from one master to another,
 * key by key; a master that dies or falls silent is followed by its replica, which may not have all it had. Nodes hear of
 * what has changed one after the other, and until then send clients to where things were.
 */
final class ClusterStage extends Housed {
    private static final int SHARDS = 3;
    /** Who was told that a slot has moved knows it; but it may move back, and again. */
    private static final int MOST_MOVED = 20;

    private static final long NEVER = 3_600_000 * MS;
    private static final String SEEDS = "redis-cluster://k1:6379,k2:6379,k3:6379";

    private final List<Server> servers = new ArrayList<>();
    private final Map<String, Server> byName = new LinkedHashMap<>();

    /** What each node takes for true. */
    private final Map<Server, ClusterView> views = new LinkedHashMap<>();

    private final Map<String, String> counters = new LinkedHashMap<>();
    private final ClusterView present;
    private final Replication replication;
    private final Dice dice;
    private final boolean clocksDiffer;

    /** Whether all of it stops while one part has no master, as is the rule unless it is told otherwise. */
    private final boolean fullCoverage;

    /** As servers before 7 do: they send to the other node whoever wants several keys of which one has gone. */
    private final boolean asksEarly;

    private @Nullable Move move;

    /** A slot that is on its way. */
    private record Move(int slot, int from, int to, long pace) {}

    ClusterStage(Scene scene, ServerAudit audit) {
        super(scene, audit);
        Setup setup = scene.setup();
        this.dice = Dice.of(setup.seed(), 23);
        this.clocksDiffer = dice.oneIn(2);
        this.fullCoverage = !dice.oneIn(3);
        this.asksEarly = dice.oneIn(3);
        this.replication = new Replication(scene, this::replicas);
        scene.network().apart();
        for (int i = 0; i < 2 * SHARDS; i++) {
            servers.add(server(i, setup, audit));
        }
        this.present = new ClusterView(servers.subList(0, SHARDS), servers.subList(SHARDS, 2 * SHARDS));
        for (Server server : servers) {
            views.put(server, present.copy());
            replication.catchUp(server, server);
        }
        audit.looksAt(servers.get(0));
    }

    private Server server(int number, Setup setup, ServerAudit audit) {
        Server[] self = new Server[1];
        String name = "k" + (number + 1);
        long offset = number == 0 || !clocksDiffer ? 0 : dice.between(-50, 50) * MS;
        Host host = new Host(scene.world(), name, Dice.of(setup.seed(), 6, number), 1.0, offset);
        Supplier<Server> me = () -> Objects.requireNonNull(self[0]);
        Server server = new Server(scene.network(), host, replication.behind(new Look(audit.at(me), me), me));
        self[0] = server;
        server.model().number(number + 1);
        server.takes(new Node(server));
        byName.put(name, server);
        return server;
    }

    private List<Server> replicas(Server from) {
        int shard = present.shardOf(from);
        return shard < 0 ? List.of() : List.of(present.replica(shard));
    }

    private static int slot(String name) {
        return Slots.of(Scene.PREFIX + name);
    }

    // --- who has what

    /** While its slot moves, a lock is where its key is. */
    @Override
    public Server home(String name) {
        Move moving = move;
        if (moving == null || moving.slot() != slot(name)) {
            return present.owner(slot(name));
        }
        String key = name.equals(Counting.NAME)
                ? Scene.PREFIX + "~latch:{" + Scene.PREFIX + name + "}"
                : Scene.PREFIX + name;
        Server to = present.master(moving.to());
        return to.model().type(key).equals("none") ? present.master(moving.from()) : to;
    }

    @Override
    boolean isInReach(String name) {
        Move moving = move;
        return !present.isDown() && (moving == null || moving.slot() != slot(name));
    }

    /** The counter of the slot: its tag is the smallest number of that slot. */
    @Override
    String counter(String name) {
        return counters.computeIfAbsent(name, one -> {
            int number = 0;
            while (Slots.of(Integer.toString(number)) != slot(one)) {
                number++;
            }
            return Scene.PREFIX + "~fence:{" + number + "}";
        });
    }

    private static boolean isThere(Server server) {
        return server.isUp() && !server.host().isAsleep();
    }

    // --- what a node says

    private final class Node implements Server.Role {
        private final Server self;

        /** How often each owner was sent elsewhere. */
        private final Map<String, Integer> sentAway = new HashMap<>();

        Node(Server self) {
            this.self = self;
        }

        private ClusterView view() {
            return Objects.requireNonNull(views.get(self));
        }

        @Override
        public @Nullable Object answer(List<String> command, boolean asking) {
            if (command.get(0).equals("CLUSTER")) {
                return view().slots();
            }
            if (!command.get(0).startsWith("EVAL")) {
                return null;
            }
            List<String> keys = command.subList(3, 3 + Commands.keys(command));
            String refusal = refusal(keys, asking);
            if (refusal == null) {
                return null;
            }
            scene.hits().hit(36);
            boolean releases = Commands.kind(command).equals("release") && !Commands.isForAll(command);
            if (releases && refusal.startsWith("MOVED")) {
                isLearnt(Commands.argument(command, 1));
            }
            return new RedisModel.ErrorReply(refusal);
        }

        private void isLearnt(String owner) {
            if (sentAway.merge(owner, 1, Integer::sum) > MOST_MOVED) {
                throw new Violation(
                        "L5", owner + " is sent elsewhere by " + self.host().name() + " again and again");
            }
        }

        private @Nullable String refusal(List<String> keys, boolean asking) {
            int slot = Slots.of(keys.get(0));
            if (keys.stream().anyMatch(key -> Slots.of(key) != slot)) {
                return "CROSSSLOT Keys in request don't hash to the same slot";
            }
            if (view().isDown()) {
                return "CLUSTERDOWN The cluster is down";
            }
            Server owner = view().owner(slot);
            Move moving = move;
            if (moving != null && moving.slot() == slot) {
                boolean some = keys.stream().anyMatch(key -> !isMissing(key));
                boolean all = keys.stream().noneMatch(this::isMissing);
                if (self.equals(owner) && self.equals(present.master(moving.from()))) {
                    return all
                            ? null
                            : some && !asksEarly
                                    ? tryAgain()
                                    : "ASK " + slot + " " + address(present.master(moving.to()));
                }
                if (asking && self.equals(present.master(moving.to()))) {
                    return all || keys.size() == 1 ? null : tryAgain();
                }
            }
            return self.equals(owner) ? null : "MOVED " + slot + " " + address(owner);
        }

        private String tryAgain() {
            return "TRYAGAIN Multiple keys request during rehashing of slot";
        }

        private boolean isMissing(String key) {
            return self.model().type(key).equals("none");
        }

        private String address(Server server) {
            return server.host().name() + ":6379";
        }

        /** What is published anywhere is heard everywhere. */
        @Override
        public void published(String channel, String message) {
            for (Server other : servers) {
                if (!other.equals(self)) {
                    other.host().event(20_000 + dice.below(300_000L), () -> {
                        if (other.isUp()) {
                            other.tell(channel, message);
                        }
                    });
                }
            }
        }
    }

    /** What a node does that takes itself for a master, and is none any more, will be lost. */
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
            if (command.get(0).startsWith("EVAL") && present.shardOf(self.get()) < 0) {
                scene.hits().hit(25);
                scene.auditor().excuseAll();
                scene.auditor().twoCounters();
            }
        }
    }

    /** Those it is about know it at once, and the others a little later; who is asleep hears of it when it is awake. */
    private void spread(Server... first) {
        for (Server node : servers) {
            ClusterView view = Objects.requireNonNull(views.get(node));
            if (List.of(first).contains(node)) {
                view.become(present);
            } else {
                long later = dice.below(400 * MS);
                long more = dice.below(100 * MS);
                node.host().event(later, () -> node.host().event(more, () -> view.become(present)));
            }
        }
    }

    // --- slots

    /** The slot of a lock goes to another master, one key after the other. */
    private void moveSlot(Director.Blow blow) {
        Dice draws = blow.dice();
        String name = draws.oneIn(4)
                ? Counting.NAME
                : draws.oneIn(3) ? draws.pick(scene.setup().everyName()) : blow.name();
        int from = present.shard(slot(name));
        int to = (from + 1 + draws.below(SHARDS - 1)) % SHARDS;
        if (move != null || present.isDown() || !isThere(present.master(from)) || !isThere(present.master(to))) {
            return;
        }
        long lease = scene.setup().leaseMillis() * MS;
        Move begun = new Move(slot(name), from, to, draws.oneIn(3) ? lease / 2 : 30 * MS);
        move = begun;
        scene.world()
                .trace()
                .add(
                        "slot " + begun.slot(),
                        "begins to move to",
                        present.master(to).host());
        onTheMove(begun);
        scene.world().after(draws.below(100 * MS), () -> step(begun, draws));
    }

    /**
     * What a lock is to one who has it whole is not touched. The ends of shares and tickets are told by the clock of a server,
     * and those clocks differ; and shares are in two keys, of which one goes first.
     */
    private void onTheMove(Move moving) {
        scene.director().unsettled(moving.pace() + 8_000 * MS);
        if (scene.setup().readWrite() || scene.setup().permits() > 0) {
            scene.setup().everyName().stream()
                    .filter(name -> slot(name) == moving.slot())
                    .forEach(scene.auditor()::excuse);
        }
        if (clocksDiffer && slot(Counting.NAME) == moving.slot()) {
            scene.latches().stateLost();
        }
    }

    private void step(Move moving, Dice draws) {
        onTheMove(moving);
        Server from = present.master(moving.from());
        Server to = present.master(moving.to());
        if (!isThere(from) || !isThere(to)) {
            scene.world().after(50 * MS, () -> step(moving, draws));
            return;
        }
        List<String> keys = from.model().keys().stream()
                .filter(key -> Slots.of(key) == moving.slot())
                .toList();
        if (keys.isEmpty()) {
            move = null;
            present.give(moving.slot(), moving.to());
            scene.world().trace().add("slot " + moving.slot(), "has moved to", to.host());
            takesOver(from, to);
            spread(from, to);
            return;
        }
        to.model().take(draws.pick(keys), from.model());
        replication.send(from);
        replication.send(to);
        scene.world().after(draws.below(moving.pace()), () -> step(moving, draws));
    }

    // --- masters

    /** A master dies, falls silent, or is told to give way. Its replica follows, or it comes back itself. */
    private void failover(Director.Blow blow) {
        int shard = present.shard(slot(blow.name()));
        Server old = present.master(shard);
        Server next = present.replica(shard);
        Move moving = move;
        boolean moves = moving != null && (moving.from() == shard || moving.to() == shard);
        if (moves || present.isDown() || !isThere(old) || !isThere(next)) {
            return;
        }
        Dice draws = blow.dice();
        long noticed = draws.between(50, 800) * MS;
        long elected = noticed + draws.below(500) * MS;
        long back = elected + blow.length();
        int how = draws.below(6);
        if (how == 0) {
            giveWay(shard, old, next);
            scene.director().disturbed(1_000 * MS);
            return;
        }
        scene.world().after(noticed, () -> isMissed(next));
        if (how == 1) {
            old.crash();
            scene.world().after(back, () -> {
                old.restart();
                present.resume();
                spread(old);
            });
            scene.director().disturbed(back + 1_000 * MS);
            return;
        }
        scene.world().after(elected, () -> promote(shard, next, blow.name()));
        // Some come back only when everything is over: nobody must need them.
        boolean gone = draws.oneIn(3);
        long away = gone ? NEVER : back;
        scene.director().disturbed((gone ? elected : back) + 1_000 * MS);
        if (how == 2) {
            // Nobody knows whether it is dead; when it wakes it takes itself for a master, until it is told.
            old.host().sleep(away, false);
        } else {
            old.crash();
            scene.world().after(away, () -> {
                Objects.requireNonNull(views.get(old)).become(present);
                old.restart();
            });
        }
    }

    private void isMissed(Server next) {
        if (fullCoverage) {
            present.stop();
            spread(next);
        }
    }

    /** In good order: nothing is lost. But its clock may differ. */
    private void giveWay(int shard, Server old, Server next) {
        replication.catchUp(next, old);
        replication.restore(next);
        follows(shard, next);
        spread(old, next);
        if (clocksDiffer) {
            serverFaults.stateLost();
        }
    }

    private void promote(int shard, Server next, String name) {
        Server old = present.master(shard);
        String before = old.model().value(Scene.PREFIX + name);
        replication.restore(next);
        follows(shard, next);
        spread(next);
        if (!Objects.equals(before, next.model().value(Scene.PREFIX + name))) {
            scene.hits().hit(24);
        }
        serverFaults.stateLost();
    }

    private void follows(int shard, Server next) {
        Server old = present.master(shard);
        scene.world().trace().add(next.host().name(), "is a master now, after", old.host());
        scene.hits().hit(12);
        takesOver(old, next);
        present.follow(shard);
        present.resume();
        replication.catchUp(old, next);
    }

    // --- the rest

    @Override
    public List<Server> servers() {
        return servers;
    }

    @Override
    public StoreFactory store(SimPlatform platform, Consumer<Way> way) {
        SimNet net = new SimNet(platform, scene.network(), byName, Scene.PREFIX + "~inbox:", 1);
        platform.dialsBy(net);
        way.accept(net);
        return new RedisStoreProvider().factory(new StoreUri(SEEDS));
    }

    @Override
    public void happen(Director.Blow blow) {
        Server home = home(blow.name());
        switch (blow.fault()) {
            case FAILOVER -> failover(blow);
            case SLOT_MOVES -> moveSlot(blow);
            default -> {
                if (blow.fault().kind() == Fault.Kind.NETWORK) {
                    // One client is cut off from all or from one, or one master from all clients.
                    int which = blow.dice().below(3);
                    networkFaults.happen(
                            blow,
                            which == 0 ? scene.sites() : List.of(blow.site()),
                            which == 1 ? servers : List.of(home));
                } else {
                    serverFaults.happen(blow, home);
                }
            }
        }
    }

    /** Whom to ask is asked first; then one node after the other sends it on, and the last may take its time. */
    @Override
    public long callNanos() {
        return 3 * scene.setup().timeoutMillis() * MS;
    }

    /** The inbox, and nodes that are masters no more and are let go after a while. */
    @Override
    public int idleTimers() {
        return 2 + servers.size();
    }
}
