package io.holdfast.faults.nemesis;

import static java.util.Objects.requireNonNull;

import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.site.ClusterSite;
import io.holdfast.faults.site.HostNetwork;
import io.holdfast.faults.site.SentinelSite;
import io.holdfast.faults.site.Site;
import io.holdfast.servers.NetworkHost;
import io.holdfast.servers.PrivateNetwork;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RequestTrap;
import io.holdfast.servers.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Deals out the faults, each as often as the others, in an order of chance. */
public final class Nemesis {
    private static final Duration LONG_PAUSE = Duration.ofSeconds(4);
    private static final int MOST_STEP_SECONDS = 600;
    private static final String NO_SCRIPTS = "-@scripting";
    private static final String SCRIPTS_AGAIN = "+@scripting";

    private final Stage stage;
    private final List<FaultKind> kinds;
    private final List<FaultKind> deck = new ArrayList<>();
    private final Map<RedisServer, Duration> ahead = new HashMap<>();

    public Nemesis(Stage stage, List<FaultKind> kinds) {
        this.stage = stage;
        this.kinds = List.copyOf(kinds);
    }

    /** What there is to be dealt out on that stage. */
    public static List<FaultKind> kinds(Stage stage) {
        return FaultKind.of(stage.site().topology()).stream()
                .filter(kind -> whyNot(kind, stage).isEmpty())
                .toList();
    }

    /** What there would be elsewhere, and why not here: a line for each reason. */
    public static List<String> impossible(Stage stage) {
        Map<String, List<FaultKind>> byReason = new LinkedHashMap<>();
        for (FaultKind kind : FaultKind.of(stage.site().topology())) {
            String why = whyNot(kind, stage);
            if (!why.isEmpty()) {
                byReason.computeIfAbsent(why, any -> new ArrayList<>()).add(kind);
            }
        }
        return byReason.entrySet().stream()
                .map(each -> "not dealt out here: " + each.getValue() + ", since " + each.getKey())
                .toList();
    }

    /** Empty if that fault can be dealt out. */
    private static String whyNot(FaultKind kind, Stage stage) {
        Site site = stage.site();
        if (kind.needsHosts(site.topology()) && site.hosts().isEmpty()) {
            return "processes cannot have network namespaces of their own: " + HostNetwork.whyNot();
        }
        if (kind == FaultKind.SERVER_CLOCK && !site.whyNoClocks().isEmpty()) {
            return "the clocks of these servers cannot be set: " + site.whyNoClocks();
        }
        if (kind == FaultKind.CLIENT_CLOCK && !stage.whyNoClocks().isEmpty()) {
            return "the clocks of processes cannot be set: " + stage.whyNoClocks();
        }
        return "";
    }

    /** The next one. */
    public FaultKind draw() {
        if (deck.isEmpty()) {
            deck.addAll(kinds);
            Collections.shuffle(deck, stage.random());
        }
        return deck.remove(deck.size() - 1);
    }

    /** Has it happen, and returns when it is over. */
    public Injection inject(FaultKind kind) {
        return switch (kind) {
            case KILL -> kill();
            case PAUSE -> pause();
            case CLIENT_CLOCK -> clientClock();
            case CUT -> network(kind, TcpProxy::cut, PrivateNetwork::refuse);
            case SILENCE -> network(kind, TcpProxy::stall, PrivateNetwork::separate);
            case DELAY -> network(kind, network -> network.delay(leases(0.02, 0.3)), Nemesis::notThere);
            case LOST_REPLIES -> network(kind, network -> network.dropReplies(true), Nemesis::dropReplies);
            case PARTITION -> stage.site().topology() == Topology.QUORUM ? minority() : partition();
            case LOST_ACQUIRE -> lostReply();
            case SERVER_PAUSE -> servers(kind, 1, RedisServer::pause, leases(0.1, 3), RedisServer::resume);
            case SERVER_LONG_PAUSE -> servers(kind, 1, RedisServer::pause, LONG_PAUSE, RedisServer::resume);
            case MAJORITY_PAUSE -> servers(kind, 3, RedisServer::pause, leases(0.1, 3), RedisServer::resume);
            case SERVER_KILL, SERVER_RESTART ->
                servers(kind, 1, RedisServer::kill9, leases(0.1, 1), RedisServer::restart);
            case SERVER_CLOCK -> servers(kind, 1, this::stepClock, Duration.ZERO, any -> {});
            case EMPTY -> servers(kind, 1, RedisServer::kill9, leases(0.1, 1), Nemesis::restartEmpty);
            case RESET -> servers(kind, 1, RedisServer::killClients, Duration.ZERO, any -> {});
            case SCRIPTS -> servers(kind, 1, server -> server.command("SCRIPT", "FLUSH"), Duration.ZERO, any -> {});
            case FLUSH -> servers(kind, 1, RedisServer::flushAll, Duration.ZERO, any -> {});
            case MEMORY ->
                servers(
                        kind,
                        1,
                        server -> server.command("CONFIG", "SET", "maxmemory", "1"),
                        leases(0.3, 2),
                        server -> server.command("CONFIG", "SET", "maxmemory", "0"));
            case CONNECTIONS ->
                servers(
                        kind,
                        1,
                        Nemesis::exhaust,
                        leases(0.3, 2),
                        server -> server.command("CONFIG", "SET", "maxclients", "10000"));
            case ACL ->
                servers(
                        kind,
                        1,
                        server -> server.command("ACL", "SETUSER", "default", NO_SCRIPTS),
                        leases(0.3, 2),
                        server -> server.command("ACL", "SETUSER", "default", SCRIPTS_AGAIN));
            case FAILOVER -> failover();
            case CRASH -> replace(kind, RedisServer::kill9);
            case MASTER_SHORT_PAUSE -> shortPause();
            case MASTER_PAUSE -> replace(kind, RedisServer::pause);
            case MASTER_PARTITION -> replace(kind, this::isolate);
            case RESHARD -> reshard();
            case NONE -> throw new IllegalArgumentException(kind + " cannot be dealt out");
        };
    }

    private Injection kill() {
        List<String> mortal = stage.workers().stream()
                .filter(worker -> stage.placeOf(worker) > 0)
                .toList();
        String target = stage.holderOf(Workload.LOCK).filter(mortal::contains).orElseGet(() -> any(mortal));
        long start = System.nanoTime();
        stage.kill(target);
        return new Injection(FaultKind.KILL, target, start, start);
    }

    /** Every other time one that holds the lock, if there is one. */
    private String target() {
        List<String> workers = stage.workers();
        return stage.random().nextBoolean()
                ? stage.holderOf(Workload.LOCK).filter(workers::contains).orElseGet(() -> any(workers))
                : any(workers);
    }

    private Injection pause() {
        String target = target();
        Duration time = leases(0.1, 3);
        long start = System.nanoTime();
        stage.pause(target);
        stage.pass(time);
        stage.resume(target);
        return new Injection(FaultKind.PAUSE, target, start, System.nanoTime());
    }

    /** Forward or back, and the other way when it is over. */
    private Injection clientClock() {
        String target = target();
        Duration step =
                Duration.ofSeconds(MOST_STEP_SECONDS / 10 + stage.random().nextInt(MOST_STEP_SECONDS));
        Duration time = leases(0.3, 2.5);
        long start = System.nanoTime();
        stage.setClock(target, stage.random().nextBoolean() ? step : step.negated());
        stage.pass(time);
        stage.setClock(target, Duration.ZERO);
        return new Injection(FaultKind.CLIENT_CLOCK, target, start, System.nanoTime());
    }

    /** What befalls all that a client and a server send to each other. */
    private interface Between {
        void befall(PrivateNetwork network, NetworkHost client, NetworkHost server);
    }

    private static void dropReplies(PrivateNetwork network, NetworkHost client, NetworkHost server) {
        network.drop(server, client);
    }

    private static void dropRequests(PrivateNetwork network, NetworkHost client, NetworkHost server) {
        network.drop(client, server);
    }

    private static void notThere(PrivateNetwork network, NetworkHost client, NetworkHost server) {
        throw new IllegalArgumentException("a network of hosts loses messages, but has none late");
    }

    /** A client, and all servers: by proxies, or where servers tell clients where to connect to, by hosts. */
    private Injection network(FaultKind kind, Consumer<TcpProxy> fault, Between between) {
        String target = target();
        List<TcpProxy> networks = stage.site().networks(stage.placeOf(target));
        Duration time = leases(0.3, 2.5);
        long start = System.nanoTime();
        networks.forEach(fault);
        stage.site()
                .hosts()
                .ifPresent(hosts -> stage.site()
                        .everyServer()
                        .forEach(server ->
                                between.befall(hosts.network(), hosts.of(stage.placeOf(target)), server.host())));
        stage.pass(time);
        networks.forEach(TcpProxy::restore);
        stage.site().hosts().ifPresent(hosts -> hosts.network().heal());
        return new Injection(kind, target, start, System.nanoTime());
    }

    /** A client, and one server that takes writes: silent in both directions or one of them, or refused. */
    private Injection partition() {
        String target = target();
        RedisServer server = stage.site().masterOf(lock());
        List<Between> ways =
                List.of(PrivateNetwork::separate, PrivateNetwork::refuse, Nemesis::dropReplies, Nemesis::dropRequests);
        Between way = ways.get(stage.random().nextInt(ways.size()));
        HostNetwork hosts = stage.site().hosts().orElseThrow();
        Duration time = leases(0.3, 4);
        long start = System.nanoTime();
        way.befall(hosts.network(), hosts.of(stage.placeOf(target)), server.host());
        stage.pass(time);
        hosts.network().heal();
        return new Injection(FaultKind.PARTITION, target, start, System.nanoTime());
    }

    /** A client, and one or two of five: silent in both directions or one of them, or refused. */
    private Injection minority() {
        String target = target();
        List<TcpProxy> networks = new ArrayList<>(stage.site().networks(stage.placeOf(target)));
        Collections.shuffle(networks, stage.random());
        List<TcpProxy> cut = networks.subList(0, 1 + stage.random().nextInt(2));
        List<Consumer<TcpProxy>> ways = List.of(TcpProxy::stall, TcpProxy::cut, network -> network.dropReplies(true));
        Consumer<TcpProxy> way = ways.get(stage.random().nextInt(ways.size()));
        Duration time = leases(0.3, 4);
        long start = System.nanoTime();
        cut.forEach(way);
        stage.pass(time);
        cut.forEach(TcpProxy::restore);
        return new Injection(FaultKind.PARTITION, target, start, System.nanoTime());
    }

    /**
     * Half of the clients still reach that master, which no other server and none of the other clients does. They may reach the
     * others, too, or not.
     */
    private void isolate(RedisServer master) {
        HostNetwork hosts = stage.site().hosts().orElseThrow();
        PrivateNetwork network = hosts.network();
        List<RedisServer> others = new ArrayList<>(stage.site().everyServer());
        others.remove(master);
        List<String> workers = new ArrayList<>(stage.workers());
        Collections.shuffle(workers, stage.random());
        int half = workers.size() / 2;
        boolean torn = stage.random().nextBoolean();
        others.forEach(other -> network.separate(master.host(), other.host()));
        for (int i = 0; i < workers.size(); i++) {
            NetworkHost client = hosts.of(stage.placeOf(workers.get(i)));
            if (i >= half) {
                network.separate(client, master.host());
            } else if (torn) {
                others.forEach(other -> network.separate(client, other.host()));
            }
        }
    }

    /** A few requests in a row, so that an acquire is among them. */
    private Injection lostReply() {
        String target = any(stage.workers());
        TcpProxy network = stage.site().networks(stage.placeOf(target)).get(0);
        long start = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            RequestTrap trap = network.dropConnectionAfterNextRequestContaining("lock");
            stage.pass(leases(0.1, 0.3));
            if (!trap.isSprung()) {
                break;
            }
        }
        network.restore();
        return new Injection(FaultKind.LOST_ACQUIRE, target, start, System.nanoTime());
    }

    private Injection servers(
            FaultKind kind, int number, Consumer<RedisServer> fault, Duration time, Consumer<RedisServer> end) {
        List<RedisServer> masters = new ArrayList<>(stage.site().masters());
        Collections.shuffle(masters, stage.random());
        List<RedisServer> targets = masters.subList(0, number);
        long start = System.nanoTime();
        targets.forEach(fault);
        stage.pass(time);
        targets.forEach(end);
        targets.forEach(RedisServer::waitUntilReady);
        return new Injection(kind, "server", start, System.nanoTime());
    }

    /** Forward only, and never right again: locks would stay for as much longer as a clock was set back. */
    private void stepClock(RedisServer server) {
        Duration step = leases(1.5, 10);
        long before = clock(server);
        server.setClock(ahead.merge(server, step, Duration::plus));
        if (clock(server) - before < step.toMillis()) {
            throw new IllegalStateException(
                    "the server on port " + server.port() + " has not seen that its clock was set");
        }
    }

    /** In milliseconds. */
    private static long clock(RedisServer server) {
        List<?> time = (List<?>) requireNonNull(server.command("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * 1_000
                + Long.parseLong(String.valueOf(time.get(1))) / 1_000;
    }

    private static void exhaust(RedisServer server) {
        server.command("CONFIG", "SET", "maxclients", "1");
        server.killClients();
    }

    private static void restartEmpty(RedisServer server) {
        // A folder of that name, or in older versions one file.
        try (Stream<Path> files = Files.walk(server.dir())) {
            List<Path> data = files.filter(
                            file -> server.dir().relativize(file).toString().startsWith("appendonly"))
                    .sorted(Comparator.reverseOrder())
                    .toList();
            for (Path file : data) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not delete the data of a server", e);
        }
        server.restart();
    }

    private Injection failover() {
        long start = System.nanoTime();
        if (stage.site() instanceof SentinelSite site) {
            site.servers().failover();
        } else if (stage.site() instanceof ClusterSite site) {
            int slot = site.slotOf(lock());
            site.servers().failover(site.servers().masterOf(slot), slot);
        }
        long over = System.nanoTime();
        stage.site().heal();
        return new Injection(FaultKind.FAILOVER, "master", start, System.nanoTime(), over);
    }

    private Injection replace(FaultKind kind, Consumer<RedisServer> fault) {
        String lock = lock();
        RedisServer before = stage.site().masterOf(lock);
        // Asked before, since the one that answers may be the one that is paused.
        int slot = stage.site() instanceof ClusterSite site ? site.slotOf(lock) : 0;
        long start = System.nanoTime();
        fault.accept(before);
        long gone = System.nanoTime();
        if (stage.site() instanceof SentinelSite site) {
            site.servers().awaitFailoverFrom(before);
        } else if (stage.site() instanceof ClusterSite site) {
            site.servers().awaitFailoverFrom(before, slot);
        }
        stage.passUntilGranted(System.nanoTime());
        stage.site().heal(); // the old master comes back, and becomes a replica
        return new Injection(kind, "master", start, System.nanoTime(), gone);
    }

    /** Whether it is replaced is for those to say who watch it. If it is, it wakes as one that takes itself for the master. */
    private Injection shortPause() {
        RedisServer master = stage.site().masterOf(lock());
        Duration time = leases(0.1, 3);
        long start = System.nanoTime();
        master.pause();
        stage.pass(time);
        master.resume();
        long awake = System.nanoTime();
        stage.passUntilGranted(awake);
        stage.site().heal();
        return new Injection(FaultKind.MASTER_SHORT_PAUSE, "master", start, System.nanoTime(), awake);
    }

    private Injection reshard() {
        long start = System.nanoTime();
        if (stage.site() instanceof ClusterSite site) {
            int slot = site.slotOf(lock());
            RedisServer from = site.servers().masterOf(slot);
            RedisServer to = site.servers().masters().stream()
                    .filter(master -> master != from)
                    .findFirst()
                    .orElseThrow();
            site.servers().move(slot, to);
        }
        return new Injection(FaultKind.RESHARD, "slot", start, System.nanoTime());
    }

    private String lock() {
        List<String> locks = Workload.LOCK.locks();
        return locks.get(stage.random().nextInt(locks.size()));
    }

    private Duration leases(double least, double most) {
        double part = least * Math.pow(most / least, stage.random().nextDouble());
        return Duration.ofNanos((long) (stage.lease().toNanos() * part));
    }

    private String any(List<String> workers) {
        return workers.get(stage.random().nextInt(workers.size()));
    }
}
