package io.holdfast.servers;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of three masters with a replica each. A master that has not answered for a second is replaced by its replica;
 * the slots of the others stay in use meanwhile. Not thread safe, but for what the servers themselves are.
 *
 * <pre>{@code
 * try (RedisCluster cluster = RedisCluster.start()) {
 *     RedisServer before = cluster.masterOf(cluster.slot("a"));
 *     before.kill9();
 *     RedisServer after = cluster.awaitFailoverFrom(before, cluster.slot("a"));
 * }
 * }</pre>
 */
public final class RedisCluster implements AutoCloseable {
    /** How many slots a cluster has. */
    public static final int SLOTS = 16_384;

    private static final int MASTERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<RedisServer> nodes = new ArrayList<>();

    /** Null if nobody wants one, and nobody talks TLS. */
    private final @Nullable String password;

    /** Has a host for each of them; null if all are on the loopback address. */
    private final @Nullable PrivateNetwork network;

    private RedisCluster(@Nullable String password, @Nullable PrivateNetwork network) {
        this.password = password;
        this.network = network;
    }

    /** Starts all of them, and waits until every slot is served and every replica follows. */
    public static RedisCluster start() {
        return start(new RedisCluster(null, null));
    }

    /** The same, each on a host of its own in that network. */
    public static RedisCluster start(PrivateNetwork network) {
        return start(new RedisCluster(null, network));
    }

    /** The same with TLS on every port, of 127.0.0.2 too, for which their certificate is not made, and a password. */
    public static RedisCluster startSecured(String password) {
        return start(new RedisCluster(password, null));
    }

    private static RedisCluster start(RedisCluster cluster) {
        try {
            cluster.startNodes();
            cluster.join();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void startNodes() {
        for (int i = 0; i < 2 * MASTERS; i++) {
            nodes.add(startNode());
        }
    }

    private RedisServer startNode() {
        RedisServerBuilder builder =
                RedisServer.builder().host(network == null ? NetworkHost.LOOPBACK : network.add("node" + nodes.size()));
        if (password != null) {
            builder.tls()
                    .password(password)
                    .config("tls-replication", "yes")
                    .config("tls-cluster", "yes")
                    .config("bind", "127.0.0.1 127.0.0.2");
        }
        return builder.config("cluster-enabled", "yes")
                .config("cluster-node-timeout", "1000")
                .config("cluster-require-full-coverage", "no")
                .config("cluster-replica-validity-factor", "0")
                .config("cluster-allow-replica-migration", "no")
                .config("repl-diskless-sync-delay", "0")
                .config("repl-ping-replica-period", "1")
                .start();
    }

    /** Starts one more master, which has no slots and no replica, and waits until all know it. */
    public RedisServer addMaster() {
        RedisServer added = startNode();
        nodes.add(added);
        meet(added, nodes.get(0));
        awaitAllKnown();
        await("it serves", () -> "ok".equals(info(added).get("cluster_state")));
        return added;
    }

    private void join() {
        RedisServer first = nodes.get(0);
        for (int i = 0; i < MASTERS; i++) {
            RedisServer master = nodes.get(i);
            master.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            master.command(
                    "CLUSTER",
                    "ADDSLOTSRANGE",
                    Integer.toString(SLOTS * i / MASTERS),
                    Integer.toString(SLOTS * (i + 1) / MASTERS - 1));
        }
        nodes.forEach(node -> meet(node, first));
        awaitAllKnown();
        for (int i = 0; i < MASTERS; i++) {
            nodes.get(MASTERS + i).command("CLUSTER", "REPLICATE", id(nodes.get(i)));
        }
        await("every slot is served and every replica follows", this::isWhole);
    }

    private static void meet(RedisServer node, RedisServer other) {
        node.command("CLUSTER", "MEET", other.host().address(), Integer.toString(other.port()));
    }

    private void awaitAllKnown() {
        await(
                "all know each other",
                () -> nodes.stream()
                        .allMatch(node -> lines(node)
                                        .filter(line -> !line.contains("handshake"))
                                        .count()
                                == nodes.size()));
    }

    private boolean isWhole() {
        return nodes.stream()
                .allMatch(node -> node.isRunning()
                        && "ok".equals(info(node).get("cluster_state"))
                        && Integer.toString(SLOTS).equals(info(node).get("cluster_slots_ok"))
                        && lines(node).filter(line -> line.contains("slave")).count() == MASTERS
                        && lines(node).noneMatch(line -> line.contains("fail") || line.contains("handshake"))
                        && (isMaster(node)
                                || "up".equals(node.info("replication").get("master_link_status"))));
    }

    private static Map<String, String> info(RedisServer node) {
        return InfoText.parse(node.command("CLUSTER", "INFO"));
    }

    private static Stream<String> lines(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "NODES")).lines();
    }

    private static String id(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "MYID"));
    }

    /** {@code redis-cluster://127.0.0.1:7000,127.0.0.1:7001,...}, without the password. */
    public String uri() {
        return nodes.stream()
                .map(RedisServer::address)
                .collect(joining(",", (password == null ? "redis" : "rediss") + "-cluster://", ""));
    }

    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The masters that run. */
    public List<RedisServer> masters() {
        return nodes.stream().filter(node -> node.isRunning() && isMaster(node)).toList();
    }

    /** The slot of a key, as a node of the cluster counts. */
    public int slot(String key) {
        RedisServer node =
                nodes.stream().filter(RedisServer::isRunning).findFirst().orElseThrow();
        return Math.toIntExact((Long) requireNonNull(node.command("CLUSTER", "KEYSLOT", key)));
    }

    /** The master that says of itself that it has the slot. */
    public RedisServer masterOf(int slot) {
        return masters().stream()
                .filter(node -> serves(node, slot))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no master has slot " + slot));
    }

    /** The replica of a master. */
    public RedisServer replicaOf(RedisServer master) {
        String id = id(master);
        return nodes.stream()
                .filter(node -> node != master
                        && node.isRunning()
                        && lines(node).anyMatch(line -> line.contains("myself,slave " + id)))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("the master on port " + master.port() + " has no replica"));
    }

    private static boolean isMaster(RedisServer node) {
        try {
            return node.command("ROLE") instanceof List<?> role && "master".equals(role.get(0));
        } catch (UncheckedIOException e) {
            return false; // killed or paused by the test
        }
    }

    private static boolean serves(RedisServer node, int slot) {
        if (!(node.command("CLUSTER", "SLOTS") instanceof List<?> ranges)) {
            return false;
        }
        String port = Integer.toString(node.port());
        return ranges.stream()
                .map(range -> (List<?>) range)
                .anyMatch(range -> (Long) range.get(0) <= slot
                        && slot <= (Long) range.get(1)
                        && port.equals(String.valueOf(((List<?>) range.get(2)).get(1))));
    }

    /** Waits until another node has the slot, and all that live know it. */
    public RedisServer awaitFailoverFrom(RedisServer before, int slot) {
        await("another node than the one on port " + before.port() + " has slot " + slot, () -> {
            List<RedisServer> now = nodes.stream()
                    .filter(node -> node != before && node.isRunning() && isMaster(node) && serves(node, slot))
                    .toList();
            return now.size() == 1
                    && masters().stream()
                            .filter(node -> node != before)
                            .allMatch(node -> owner(node, slot)
                                    .equals(Integer.toString(now.get(0).port())));
        });
        return nodes.stream()
                .filter(node -> node != before && node.isRunning() && isMaster(node) && serves(node, slot))
                .findFirst()
                .orElseThrow();
    }

    /** The port of the master that has a slot, as a node sees it. */
    private static String owner(RedisServer node, int slot) {
        return ((List<?>) requireNonNull(node.command("CLUSTER", "SLOTS")))
                .stream()
                        .map(range -> (List<?>) range)
                        .filter(range -> (Long) range.get(0) <= slot && slot <= (Long) range.get(1))
                        .map(range -> String.valueOf(((List<?>) range.get(2)).get(1)))
                        .findFirst()
                        .orElse("");
    }

    /** Has the replica of a master that lives take over in good order, and waits until that is done. */
    public RedisServer failover(RedisServer master, int slot) {
        replicaOf(master).command("CLUSTER", "FAILOVER");
        return awaitFailoverFrom(master, slot);
    }

    /** Begins to move a slot; keys are where they were until they are moved. */
    public SlotMove beginMove(int slot, RedisServer to) {
        return new SlotMove(slot, masterOf(slot), to).begin();
    }

    /** Moves a slot with all its keys, as an operator does while it is in use. */
    public void move(int slot, RedisServer to) {
        beginMove(slot, to).moveKeys().finish();
    }

    /** A slot that is on its way from one master to another. */
    public final class SlotMove {
        private final String slot;
        private final RedisServer from;
        private final RedisServer to;

        private SlotMove(int slot, RedisServer from, RedisServer to) {
            this.slot = Integer.toString(slot);
            this.from = from;
            this.to = to;
        }

        private SlotMove begin() {
            to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
            from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
            return this;
        }

        /** Moves all keys that stand in the slot, one by one. */
        public SlotMove moveKeys() {
            for (List<?> keys = keys(); !keys.isEmpty(); keys = keys()) {
                keys.forEach(key -> moveKey(String.valueOf(key)));
            }
            return this;
        }

        private List<?> keys() {
            return (List<?>) requireNonNull(from.command("CLUSTER", "GETKEYSINSLOT", slot, "100"));
        }

        /** Moves one key, if it is still there. */
        public SlotMove moveKey(String key) {
            from.command("MIGRATE", to.host().address(), Integer.toString(to.port()), key, "0", "5000");
            return this;
        }

        /** Tells everybody; the slot must be empty where it was. */
        public void finish() {
            to.command("CLUSTER", "SETSLOT", slot, "NODE", id(to));
            from.command("CLUSTER", "SETSLOT", slot, "NODE", id(to));
            masters().stream()
                    .filter(node -> node != to && node != from)
                    .forEach(node -> node.command("CLUSTER", "SETSLOT", slot, "NODE", id(to)));
        }
    }

    /** Starts and resumes what was killed or paused, and waits until every slot is served and every replica follows. */
    public void heal() {
        for (RedisServer node : nodes) {
            if (node.isRunning()) {
                node.resume();
            } else {
                node.restart();
            }
        }
        await("every slot is served and every replica follows", this::isWhole);
    }

    private static void await(String what, BooleanSupplier condition) {
        Deadline.await(PATIENCE, condition, () -> "not in " + PATIENCE + ": " + what);
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
