package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What it costs a cluster of three masters and their replicas to tell one client that it has a lock: by a message that is passed
 * on to all nodes, as inboxes do, or by one that stays with the node of the lock. A script publishes, as that of the lock does,
 * and the next message is sent when the last one was heard. Prints what it finds.
 */
@Tag("slow")
class InboxCostIT {
    private static final int MESSAGES = 3_000;
    private static final String TEXT =
            "5kvn3kz2m1w8x:41:2a9c6e1b7f3d5 1763265600000000 1 2000 1763265600000000 distributed_lock:order:42";

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /**
     * What a way has cost.
     *
     * @param micros from when a message was sent until it was heard, sorted
     * @param onTheBus messages from node to node
     * @param cpuMicros what each node has used
     */
    private record Cost(List<Long> micros, long onTheBus, List<Long> cpuMicros) {
        long p50() {
            return micros.get(micros.size() / 2);
        }

        String text(String way) {
            return String.format(
                    "%s: p50 %d us, p99 %d us; for each message %.2f on the bus, and CPU of each node %s us, %.1f in all",
                    way,
                    p50(),
                    micros.get(micros.size() * 99 / 100),
                    (double) onTheBus / MESSAGES,
                    cpuMicros.stream()
                            .map(used -> String.format("%.1f", (double) used / MESSAGES))
                            .collect(Collectors.joining(" ")),
                    cpuMicros.stream().mapToLong(used -> used).sum() / (double) MESSAGES);
        }
    }

    @Test
    void messageToAllNodes_againstOneThatStaysWhereTheLockIs() {
        RedisServer home = cluster.masters().get(0);
        RedisServer other = cluster.masters().get(1);
        String channel = channelOf(home);

        measure("PUBLISH", "SUBSCRIBE", home, other, channel);
        Cost idle = idle();
        Cost all = measure("PUBLISH", "SUBSCRIBE", home, other, channel);
        Cost one = measure("SPUBLISH", "SSUBSCRIBE", home, home, channel);

        System.out.println(idle.text("nothing, for as long"));
        System.out.println(all.text("to all nodes"));
        System.out.println(one.text("to one node"));
        int others = cluster.nodes().size() - 1;
        assertThat(all.onTheBus()).isGreaterThanOrEqualTo((long) MESSAGES * others);
        assertThat(one.onTheBus()).as("to its replica").isBetween((long) MESSAGES, 2L * MESSAGES);
    }

    /** A name that is at home there, so that a message can stay there. */
    private static String channelOf(RedisServer master) {
        for (int i = 0; ; i++) {
            String channel = "distributed_lock:~inbox:" + i;
            if (cluster.masterOf(cluster.slot(channel)) == master) {
                return channel;
            }
        }
    }

    private static Cost measure(String publish, String subscribe, RedisServer from, RedisServer at, String channel) {
        try (Resp listener = Resp.connect("127.0.0.1", at.port());
                Resp sender = Resp.connect("127.0.0.1", from.port())) {
            listener.call(subscribe, channel);
            String script = "return redis.call('" + publish + "', ARGV[1], ARGV[2])";
            String sha = String.valueOf(sender.call("SCRIPT", "LOAD", script));
            List<Long> cpu = cpu();
            long bus = onTheBus();
            List<Long> micros = new ArrayList<>(MESSAGES);
            for (int i = 0; i < MESSAGES; i++) {
                long start = System.nanoTime();
                sender.send("EVALSHA", sha, "0", channel, TEXT);
                assertThat(((List<?>) requireNonNull(listener.read())).get(2)).isEqualTo(TEXT);
                micros.add((System.nanoTime() - start) / 1_000);
                sender.read();
            }
            Collections.sort(micros);
            return new Cost(micros, onTheBus() - bus, since(cpu));
        }
    }

    /** What the nodes do anyway, in about the time that the messages take. */
    private static Cost idle() {
        List<Long> cpu = cpu();
        long bus = onTheBus();
        long until = System.nanoTime() + 1_000_000_000L;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        return new Cost(List.of(0L), onTheBus() - bus, since(cpu));
    }

    private static List<Long> cpu() {
        return cluster.nodes().stream()
                .map(node -> node.info("cpu"))
                .map(info -> micros(info, "used_cpu_user") + micros(info, "used_cpu_sys"))
                .toList();
    }

    private static List<Long> since(List<Long> before) {
        List<Long> now = new ArrayList<>(cpu());
        for (int i = 0; i < now.size(); i++) {
            now.set(i, now.get(i) - before.get(i));
        }
        return now;
    }

    private static long micros(Map<String, String> info, String field) {
        return Math.round(Double.parseDouble(requireNonNull(info.get(field))) * 1e6);
    }

    private static long onTheBus() {
        return cluster.nodes().stream()
                .flatMap(node -> String.valueOf(node.command("CLUSTER", "INFO")).lines())
                .filter(line -> line.matches("cluster_stats_messages_publish(shard)?_sent:[0-9]+"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }
}
