package io.holdfast.servers;

import static java.util.stream.Collectors.joining;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A master, two replicas, and three Sentinels that promote a replica when the master has not answered for a second.
 * Not thread safe, but for what the servers themselves are.
 *
 * <pre>{@code
 * try (RedisSentinels sentinels = RedisSentinels.start()) {
 *     RedisServer before = sentinels.master();
 *     before.kill9();
 *     RedisServer after = sentinels.awaitFailoverFrom(before);
 * }
 * }</pre>
 */
public final class RedisSentinels implements AutoCloseable {
    /** The name under which the Sentinels know the master. */
    public static final String MASTER = "mymaster";

    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    /** Of the servers; null if nobody wants one, and nobody talks TLS. */
    private final @Nullable String password;

    private final @Nullable String sentinelPassword;
    private final boolean movableClocks;

    /** Has a host for each of them; null if all are on the loopback address. */
    private final @Nullable PrivateNetwork network;

    private int hosts;

    private RedisSentinels(
            @Nullable String password,
            @Nullable String sentinelPassword,
            boolean movableClocks,
            @Nullable PrivateNetwork network) {
        this.password = password;
        this.sentinelPassword = sentinelPassword;
        this.movableClocks = movableClocks;
        this.network = network;
    }

    /** Starts all of them, and waits until a failover would work. */
    public static RedisSentinels start() {
        return start(new RedisSentinels(null, null, false, null));
    }

    /** As {@link #start}, each on a host of its own in that network. */
    public static RedisSentinels start(PrivateNetwork network) {
        return start(new RedisSentinels(null, null, false, network));
    }

    /** As {@link #start}, with servers whose clocks can be set, each by itself; the Sentinels have the machine's. */
    public static RedisSentinels startWithMovableClocks() {
        return start(new RedisSentinels(null, null, true, null));
    }

    /**
     * The same with TLS on every port, of 127.0.0.2 too, for which their certificate is not made; the servers want one
     * password and the Sentinels another.
     */
    public static RedisSentinels startSecured(String password, String sentinelPassword) {
        return start(new RedisSentinels(password, sentinelPassword, false, null));
    }

    private static RedisSentinels start(RedisSentinels started) {
        try {
            started.startServers();
            started.startSentinels();
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void startServers() {
        RedisServer master = server().start();
        servers.add(master);
        for (int i = 0; i < REPLICAS; i++) {
            servers.add(server().config("replicaof", words(master)).start());
        }
        awaitReplicas(master, REPLICAS);
    }

    /** The address and the port, as the configuration of others has it. */
    private static String words(RedisServer server) {
        return server.host().address() + " " + server.port();
    }

    private RedisServerBuilder server() {
        RedisServerBuilder server = secured(password)
                .host(host("server"))
                .config("repl-diskless-sync-delay", "0")
                .config("repl-ping-replica-period", "1");
        return movableClocks ? server.version(RedisServer.Version.V6_2).movableClock() : server;
    }

    private NetworkHost host(String what) {
        return network == null ? NetworkHost.LOOPBACK : network.add(what + hosts++);
    }

    private static RedisServerBuilder secured(@Nullable String password) {
        RedisServerBuilder builder = RedisServer.builder();
        return password == null
                ? builder
                : builder.tls()
                        .password(password)
                        .config("tls-replication", "yes")
                        .config("bind", "127.0.0.1 127.0.0.2");
    }

    private void startSentinels() {
        String master = words(servers.get(0)) + " 2";
        for (int i = 0; i < SENTINELS; i++) {
            RedisServerBuilder sentinel = secured(sentinelPassword)
                    .host(host("sentinel"))
                    .sentinel()
                    .config("sentinel monitor " + MASTER, master)
                    .config("sentinel down-after-milliseconds " + MASTER, "1000")
                    .config("sentinel failover-timeout " + MASTER, "2000");
            if (password != null && sentinelPassword != null) {
                sentinel.config("sentinel auth-pass " + MASTER, password)
                        .config("sentinel sentinel-pass", sentinelPassword);
            }
            sentinels.add(sentinel.start());
        }
        // They would notice a replica's news after ten seconds, and do nothing for thirty after a busy machine has kept
        // them waiting for two.
        sentinels.forEach(sentinel -> debug(sentinel, "info-period", "200"));
        sentinels.forEach(sentinel -> debug(sentinel, "tilt-trigger", "10000"));
        inAHurry(() -> await(
                "the Sentinels know each other and the replicas",
                () -> sentinels.stream()
                        .allMatch(sentinel -> count(sentinel, "sentinels") == SENTINELS - 1
                                && count(sentinel, "replicas") == REPLICAS
                                && String.valueOf(sentinel.command("SENTINEL", "CKQUORUM", MASTER))
                                        .startsWith("OK"))));
    }

    /**
     * Has the Sentinels talk to each other all the time. Otherwise they find each other after two seconds, and make a master
     * that they do not know of a replica after eight; which must not be before whoever has promoted it has told.
     */
    private void inAHurry(Runnable wait) {
        sentinels.forEach(sentinel -> debug(sentinel, "publish-period", "100"));
        wait.run();
        sentinels.forEach(sentinel -> debug(sentinel, "publish-period", "2000"));
    }

    private static void debug(RedisServer sentinel, String parameter, String value) {
        sentinel.command("SENTINEL", "DEBUG", parameter, value);
    }

    private static int count(RedisServer sentinel, String what) {
        return sentinel.command("SENTINEL", what, MASTER) instanceof List<?> list ? list.size() : 0;
    }

    /** {@code redis-sentinel://127.0.0.1:26379,127.0.0.1:26380,127.0.0.1:26381/mymaster}, without passwords. */
    public String uri() {
        return sentinels.stream()
                .map(RedisServer::address)
                .collect(joining(",", (password == null ? "redis" : "rediss") + "-sentinel://", "/" + MASTER));
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** The servers that hold the data, whatever they are at present. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** The server that most Sentinels call the master. */
    public RedisServer master() {
        return findMaster().orElseThrow(() -> new IllegalStateException("the Sentinels do not agree on a master"));
    }

    private Optional<RedisServer> findMaster() {
        return servers.stream().filter(server -> named(server) > SENTINELS / 2).findFirst();
    }

    private long named(RedisServer server) {
        return sentinels.stream()
                .filter(sentinel -> masterPort(sentinel)
                        .filter(port -> port.equals(Integer.toString(server.port())))
                        .isPresent())
                .count();
    }

    private static Optional<String> masterPort(RedisServer sentinel) {
        try {
            return sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER) instanceof List<?> address
                    ? Optional.of(String.valueOf(address.get(1)))
                    : Optional.empty();
        } catch (UncheckedIOException e) {
            return Optional.empty(); // killed or paused by the test
        }
    }

    /** All that is written now is on every replica that lives. */
    public void awaitReplicated() {
        RedisServer master = master();
        long replicas = servers.stream().filter(RedisServer::isRunning).count() - 1;
        await("the replicas have everything", () -> {
            Object reached = master.command("WAIT", Long.toString(replicas), "100");
            return reached instanceof Long number && number >= replicas;
        });
    }

    /** Waits until all Sentinels that live name another master, and that one knows that it is. */
    public RedisServer awaitFailoverFrom(RedisServer before) {
        long living = sentinels.stream().filter(RedisServer::isRunning).count();
        await(
                "another than the server on port " + before.port() + " is the master",
                () -> servers.stream()
                        .filter(server -> server != before && server.isRunning())
                        .anyMatch(server -> named(server) == living && isMaster(server)));
        return master();
    }

    private static boolean isMaster(RedisServer server) {
        return server.command("ROLE") instanceof List<?> role && "master".equals(role.get(0));
    }

    /** Has a replica promoted in place of a master that lives, and waits until that is done. */
    public RedisServer failover() {
        RedisServer before = master();
        String port = Integer.toString(before.port());
        RedisServer sentinel = sentinels.get(0);
        await("a Sentinel carries out the command", () -> {
            try {
                if (masterPort(sentinel).filter(port::equals).isPresent()) {
                    sentinel.command("SENTINEL", "FAILOVER", MASTER);
                }
            } catch (RespError e) {
                // It is under way, or the one before is not over, or no replica is good enough yet. And it may be given
                // up.
            }
            return masterPort(sentinel).filter(named -> !named.equals(port)).isPresent();
        });
        return awaitFailoverFrom(before);
    }

    /** Starts and resumes what was killed or paused, and waits until a failover would work again. */
    public void heal() {
        for (RedisServer server : all()) {
            if (server.isRunning()) {
                server.resume();
            } else {
                server.restart();
            }
        }
        inAHurry(() -> await(
                "there is one master, which has its replicas",
                () -> findMaster()
                                .filter(master -> isMaster(master) && connectedReplicas(master) == REPLICAS)
                                .isPresent()
                        && sentinels.stream().noneMatch(RedisSentinels::isFailingOver)));
    }

    /** One that leads a failover whose new master goes before it is over waits for that one for ever. */
    private static boolean isFailingOver(RedisServer sentinel) {
        return String.valueOf(sentinel.command("SENTINEL", "MASTER", MASTER)).contains("failover_in_progress");
    }

    private static void awaitReplicas(RedisServer master, int number) {
        await("the replicas follow", () -> connectedReplicas(master) == number);
    }

    private static long connectedReplicas(RedisServer master) {
        return master.info("replication").entrySet().stream()
                .filter(entry ->
                        entry.getKey().matches("slave\\d+") && entry.getValue().contains("state=online"))
                .count();
    }

    private List<RedisServer> all() {
        List<RedisServer> all = new ArrayList<>(sentinels);
        all.addAll(servers);
        return all;
    }

    private static void await(String what, BooleanSupplier condition) {
        Deadline.await(PATIENCE, condition, () -> "not in " + PATIENCE + ": " + what);
    }

    @Override
    public void close() {
        all().forEach(RedisServer::close);
    }
}
