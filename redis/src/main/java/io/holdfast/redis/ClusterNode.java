package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import redis.clients.jedis.HostAndPort;

/** One master of a cluster: connections, a clock and a thread for renewals of its own, so that it holds up no other. */
final class ClusterNode {
    private final HostAndPort at;
    private final JedisLink link;
    private final AskingLink askingLink;
    private final RedisStore store;
    private final RedisStore asking;
    private final Platform.Worker renewals;
    private final Duration timeout;
    private volatile boolean suspect;
    private final AtomicBoolean retiring = new AtomicBoolean();

    ClusterNode(HostAndPort at, ConnectionSource source, StoreContext context, Cluster cluster) {
        this.at = at;
        this.link = new JedisLink(source, context.platform());
        this.askingLink = new AskingLink(source, context.platform(), cluster);
        this.store = new RedisStore(new NodeLink(cluster), context, cluster.keys(), cluster.unanswered());
        this.asking = new RedisStore(askingLink, context, cluster.keys(), cluster.unanswered());
        this.renewals = context.platform().worker("renewal");
        this.timeout = context.commandTimeout();
    }

    HostAndPort at() {
        return at;
    }

    JedisLink link() {
        return link;
    }

    AskingLink askingLink() {
        return askingLink;
    }

    /** For the slots that it has. */
    RedisStore store() {
        return store;
    }

    /** For a slot that it is being given. */
    RedisStore asking() {
        return asking;
    }

    /** Runs what may wait for this node. */
    Platform.Worker renewals() {
        return renewals;
    }

    /** It did not answer, or not as a master does: whether its slots are still its own is to be asked. */
    void suspect() {
        suspect = true;
    }

    void trust() {
        suspect = false;
    }

    boolean isSuspect() {
        return suspect;
    }

    /** False if it has begun to already: however often the news come that it is no master, it is let go once. */
    boolean beginsToRetire() {
        return !retiring.getAndSet(true);
    }

    void mayRetireLater() {
        retiring.set(false);
    }

    void close() {
        link.close();
        // Somebody may wait for what is left; over a closed link it fails at once.
        renewals.finish(timeout.toNanos()).forEach(Runnable::run);
    }

    /** The node's own connections, and the cluster's inbox. */
    private final class NodeLink implements RedisLink {
        private final Cluster cluster;

        NodeLink(Cluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public CompletionStage<Answer> run(
                Lane lane, Script script, List<String> keys, List<String> args, Duration within) {
            return link.run(lane, script, keys, args, within);
        }

        @Override
        public CompletionStage<Confirmed> runConfirmed(
                Script script, List<String> keys, List<String> args, Duration within, int replicas, Duration wait) {
            return link.runConfirmed(script, keys, args, within, replicas, wait);
        }

        @Override
        public CompletionStage<Answer> command(Duration within, String... command) {
            return link.command(within, command);
        }

        @Override
        public List<CompletionStage<Answer>> commands(Duration within, List<String[]> commands) {
            return link.commands(within, commands);
        }

        @Override
        public void listen(String channel, Listener listener) {
            cluster.listen(channel, listener);
        }

        @Override
        public void distrust() {
            link.distrust();
        }

        @Override
        public String address() {
            return link.address();
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
