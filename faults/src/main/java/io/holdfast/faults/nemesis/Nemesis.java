package io.holdfast.faults.nemesis;

import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.site.ClusterSite;
import io.holdfast.faults.site.SentinelSite;
import io.holdfast.faults.site.Site;
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
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Deals out the faults, each as often as the others, in an order of chance. */
public final class Nemesis {
    private static final Duration LONG_PAUSE = Duration.ofSeconds(4);
    private static final String NO_SCRIPTS = "-@scripting";
    private static final String SCRIPTS_AGAIN = "+@scripting";

    private final Stage stage;
    private final List<FaultKind> kinds;
    private final List<FaultKind> deck = new ArrayList<>();

    public Nemesis(Stage stage, List<FaultKind> kinds) {
        this.stage = stage;
        this.kinds = List.copyOf(kinds);
    }

    /** What there is to be dealt out with these servers. */
    public static List<FaultKind> kinds(Site site) {
        return FaultKind.of(site.topology());
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
            case CUT -> network(kind, TcpProxy::cut);
            case SILENCE -> network(kind, TcpProxy::stall);
            case DELAY -> network(kind, network -> network.delay(leases(0.02, 0.3)));
            case LOST_REPLIES -> network(kind, network -> network.dropReplies(true));
            case LOST_ACQUIRE -> lostReply();
            case SERVER_PAUSE -> servers(kind, 1, RedisServer::pause, leases(0.1, 3), RedisServer::resume);
            case SERVER_LONG_PAUSE -> servers(kind, 1, RedisServer::pause, LONG_PAUSE, RedisServer::resume);
            case MAJORITY_PAUSE -> servers(kind, 3, RedisServer::pause, leases(0.1, 3), RedisServer::resume);
            case SERVER_KILL, SERVER_RESTART ->
                servers(kind, 1, RedisServer::kill9, leases(0.1, 1), RedisServer::restart);
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
            case MASTER_PAUSE -> replace(kind, RedisServer::pause);
            case RESHARD -> reshard();
            case NONE, SERVER_CLOCK, CLIENT_CLOCK, NAMESPACE ->
                throw new IllegalArgumentException(kind + " cannot be dealt out");
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

    private Injection pause() {
        List<String> workers = stage.workers();
        String target = stage.random().nextBoolean()
                ? stage.holderOf(Workload.LOCK).filter(workers::contains).orElseGet(() -> any(workers))
                : any(workers);
        Duration time = leases(0.1, 3);
        long start = System.nanoTime();
        stage.pause(target);
        stage.pass(time);
        stage.resume(target);
        return new Injection(FaultKind.PAUSE, target, start, System.nanoTime());
    }

    private Injection network(FaultKind kind, Consumer<TcpProxy> fault) {
        String target = any(stage.workers());
        List<TcpProxy> networks = stage.site().networks(stage.placeOf(target));
        Duration time = leases(0.3, 2.5);
        long start = System.nanoTime();
        networks.forEach(fault);
        stage.pass(time);
        networks.forEach(TcpProxy::restore);
        return new Injection(kind, target, start, System.nanoTime());
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

    private static void exhaust(RedisServer server) {
        server.command("CONFIG", "SET", "maxclients", "1");
        server.killClients();
    }

    private static void restartEmpty(RedisServer server) {
        try (Stream<Path> files = Files.walk(server.dir().resolve("appendonlydir"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
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
