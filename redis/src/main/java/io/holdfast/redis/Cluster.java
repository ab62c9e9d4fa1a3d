package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Which node has which slot, as far as is known, and the nodes. The map is asked for when it is needed first, when a node
 * says that a slot has moved, and when the node of a slot is in doubt; never by those whose node is fine. Any node can tell;
 * they are asked in turns, since one that is cut off tells old news.
 */
final class Cluster {
    /** So often at most, however many ask for slots that nobody has. */
    private static final long REFRESH_PAUSE_NANOS = 100_000_000L;

    /** At so many nodes a client listens. */
    private static final int MAILBOXES = 2;

    /** A node that is no master any more keeps its connections for so long: the news may have been old. */
    private static final long RETIRE_NANOS = 10_000_000_000L;

    private final ClusterServers servers;
    private final StoreContext context;
    private final Platform platform;
    private final Keys keys;
    private final Unanswered unanswered;
    private final ConcurrentMap<HostAndPort, ClusterNode> nodes = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<HostAndPort> masters = new AtomicReferenceArray<>(Slots.COUNT);
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private volatile boolean known;
    private volatile long refreshedNanos;
    private volatile int turn;
    private final List<Mailbox> mailboxes = new CopyOnWriteArrayList<>();
    private final AtomicBoolean mailboxesMove = new AtomicBoolean();
    private volatile boolean closed;

    Cluster(ClusterServers servers, StoreContext context) {
        this.servers = servers;
        this.context = context;
        this.platform = context.platform();
        this.keys = Keys.spread(context.keyPrefix());
        this.unanswered = new Unanswered(platform);
        this.turn = (int) platform.random(Math.max(1, servers.seeds().size()));
    }

    Keys keys() {
        return keys;
    }

    Unanswered unanswered() {
        return unanswered;
    }

    String address() {
        return servers.address();
    }

    // --- who has what

    /** Where a slot is, as far as is known; asks nobody. */
    @Nullable
    HostAndPort where(int slot) {
        return masters.get(slot);
    }

    /** The node of a slot; asks, if that is not known or in doubt. */
    ClusterNode node(int slot, Duration timeout) {
        HostAndPort at = masters.get(slot);
        if (at == null || node(at).isSuspect()) {
            refresh(timeout);
            at = masters.get(slot);
        }
        if (at == null) {
            throw StoreFailure.unavailable(address() + " has no node for slot " + slot + " at present", null);
        }
        return node(at);
    }

    ClusterNode node(HostAndPort at) {
        ClusterNode node =
                nodes.computeIfAbsent(at, address -> new ClusterNode(address, source(address), context, this));
        if (closed) {
            node.close();
            throw StoreFailure.unavailable("the connections to " + address() + " are closed", null);
        }
        return node;
    }

    private ConnectionSource source(HostAndPort at) {
        return servers.node(at, () -> slotOf(at), platform);
    }

    private int slotOf(HostAndPort at) {
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            if (at.equals(masters.get(slot))) {
                return slot;
            }
        }
        return -1;
    }

    /** All masters that are known to have a slot; asks, if none is. */
    List<ClusterNode> all(Duration timeout) {
        if (!known) {
            refresh(timeout);
        }
        return mastersNow().stream().map(this::node).toList();
    }

    private Set<HostAndPort> mastersNow() {
        Set<HostAndPort> now = new LinkedHashSet<>();
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            HostAndPort at = masters.get(slot);
            if (at != null) {
                now.add(at);
            }
        }
        return now;
    }

    /** A node has said that another one has the slot now; likely not that slot alone. */
    void moved(Redirect redirect, Duration timeout) {
        refresh(timeout);
        // It knows better than whoever was asked for all of it.
        masters.set(redirect.slot(), redirect.to());
    }

    /** Asks one node after the other; what is known stays if none of them answers. */
    void refresh(Duration timeout) {
        if (known && (platform.nanoTime() - refreshedNanos < REFRESH_PAUSE_NANOS || refreshing.getAndSet(true))) {
            return;
        }
        try {
            askAround(platform.nanoTime() + timeout.toNanos());
        } finally {
            refreshedNanos = platform.nanoTime();
            refreshing.set(false);
        }
    }

    private void askAround(long deadline) {
        Attempts attempts = new Attempts();
        List<HostAndPort> candidates;
        try {
            candidates = candidates();
        } catch (JedisConnectionException e) {
            throw JedisErrors.failure(address(), e);
        }
        for (HostAndPort asked : candidates) {
            Duration left = Duration.ofNanos(Math.max(1_000_000, (deadline - platform.nanoTime()) / 2));
            ConnectionSource source = source(asked);
            try {
                List<Range> ranges = Question.ask(source, platform, left, connection -> ranges(connection, asked));
                if (!ranges.isEmpty()) {
                    install(ranges);
                    return;
                }
                attempts.failed(source.address() + " knows of no slots");
            } catch (RuntimeException e) {
                // Whatever it is, the next one may do better.
                attempts.failed(source.address(), e);
            }
        }
        if (!known) {
            throw JedisErrors.failure(address(), attempts.failure());
        }
    }

    /** Masters and seeds in turns; those in doubt last. */
    private List<HostAndPort> candidates() {
        Set<HostAndPort> all = new LinkedHashSet<>(mastersNow());
        all.addAll(servers.seeds());
        List<HostAndPort> candidates = new ArrayList<>(all);
        if (candidates.isEmpty()) {
            throw new JedisConnectionException("no node of " + address() + " is known");
        }
        turn = (turn + 1) % candidates.size();
        Collections.rotate(candidates, -turn);
        List<HostAndPort> doubtful = candidates.stream()
                .filter(at -> {
                    ClusterNode node = nodes.get(at);
                    return node != null && node.isSuspect();
                })
                .toList();
        candidates.removeAll(doubtful);
        candidates.addAll(doubtful);
        return candidates;
    }

    private record Range(int first, int last, HostAndPort master) {}

    /** What a node knows; a part that makes no sense is left out, and so are the nodes whose name it does not know. */
    private static List<Range> ranges(Connection connection, HostAndPort asked) {
        connection.sendCommand(Protocol.Command.CLUSTER, "SLOTS".getBytes(US_ASCII));
        List<Range> ranges = new ArrayList<>();
        if (connection.getOne() instanceof List<?> parts) {
            for (Object part : parts) {
                if (part instanceof List<?> range
                        && range.size() > 2
                        && range.get(0) instanceof Long first
                        && range.get(1) instanceof Long last
                        && range.get(2) instanceof List<?> node
                        && node.size() > 1
                        && node.get(1) instanceof Long port
                        && first >= 0
                        && last < Slots.COUNT) {
                    String host = node.get(0) == null ? "" : Reply.text(node.get(0));
                    if (!host.equals("?")) {
                        HostAndPort master = new HostAndPort(host.isEmpty() ? asked.getHost() : host, port.intValue());
                        ranges.add(new Range(first.intValue(), last.intValue(), master));
                    }
                }
            }
        }
        return ranges;
    }

    private void install(List<Range> ranges) {
        Set<HostAndPort> now = new LinkedHashSet<>();
        int next = 0;
        for (Range range : ranges.stream()
                .sorted((a, b) -> Integer.compare(a.first(), b.first()))
                .toList()) {
            for (; next < range.first(); next++) {
                masters.set(next, null);
            }
            for (; next <= range.last(); next++) {
                masters.set(next, range.master());
            }
            now.add(range.master());
        }
        for (; next < Slots.COUNT; next++) {
            masters.set(next, null);
        }
        known = true;
        for (ClusterNode node : nodes.values()) {
            if (now.contains(node.at())) {
                node.trust();
            } else if (node.beginsToRetire()) {
                platform.schedule(RETIRE_NANOS, () -> platform.callbacks().execute(() -> retire(node)));
            }
        }
        if (mailboxes.stream().anyMatch(mailbox -> mailbox.isElsewhere(now))
                && mailboxesMove.compareAndSet(false, true)) {
            platform.schedule(RETIRE_NANOS, () -> platform.callbacks().execute(this::moveMailboxes));
        }
    }

    private void retire(ClusterNode node) {
        node.mayRetireLater();
        if (!closed && !mastersNow().contains(node.at()) && nodes.remove(node.at(), node)) {
            node.close();
        }
    }

    // --- the inbox

    /**
     * Subscribes at two nodes. What is published anywhere in a cluster is passed on to every node, so one would do until it
     * hangs: then nobody would hear of the locks of all others, for as long as it takes to notice. What is heard twice does
     * no harm, since nobody waits for it any more. A message does not tell whose clock its time is of, so whoever gets one
     * asks.
     */
    synchronized void listen(String channel, RedisLink.Listener listener) {
        if (mailboxes.isEmpty() && !closed) {
            for (int i = 0; i < MAILBOXES; i++) {
                mailboxes.add(new Mailbox(channel, listener));
            }
            mailboxes.forEach(mailbox -> mailbox.inbox.start());
        }
    }

    /** A node that has left the cluster hears of nothing any more, and does not say so. */
    private void moveMailboxes() {
        mailboxesMove.set(false);
        Set<HostAndPort> now = mastersNow();
        for (Mailbox mailbox : mailboxes) {
            if (!closed && mailbox.isElsewhere(now)) {
                mailbox.inbox.renounce();
            }
        }
    }

    /** A subscription at some node where there is no other, over connections to one node after the other. */
    private final class Mailbox implements ConnectionSource {
        final Inbox inbox;
        private @Nullable HostAndPort at;
        private @Nullable ConnectionSource from;

        Mailbox(String channel, RedisLink.Listener listener) {
            this.inbox = new Inbox(platform, new InboxLine(this, false), channel, listener);
        }

        boolean isElsewhere(Set<HostAndPort> present) {
            HostAndPort here = at();
            return here != null && !present.contains(here);
        }

        private synchronized @Nullable HostAndPort at() {
            return at;
        }

        @Override
        public Connection open(Duration timeout, Consumer<Closeable> opening) {
            if (closed) {
                throw new JedisConnectionException("the client is closed");
            }
            ConnectionSource node = source(choose());
            boolean opened = false;
            try {
                Connection connection = node.open(timeout, opening);
                synchronized (this) {
                    from = node;
                }
                opened = true;
                return connection;
            } finally {
                if (!opened) {
                    leave();
                }
            }
        }

        /** Only one at a time chooses, so that no two choose the same. */
        private HostAndPort choose() {
            synchronized (mailboxes) {
                Set<HostAndPort> known = mastersNow();
                HostAndPort chosen = candidates().stream()
                        // The same node may be known by another name as well.
                        .filter(node -> known.isEmpty() || known.contains(node))
                        .filter(node -> mailboxes.stream().noneMatch(other -> node.equals(other.at())))
                        .findFirst()
                        .orElseThrow(() -> new JedisConnectionException(
                                "no node of " + Cluster.this.address() + " is left to listen at"));
                synchronized (this) {
                    at = chosen;
                }
                return chosen;
            }
        }

        private synchronized @Nullable ConnectionSource leave() {
            ConnectionSource node = from;
            at = null;
            from = null;
            return node;
        }

        @Override
        public void drop(Connection connection) {
            ConnectionSource node = leave();
            if (node != null) {
                node.drop(connection);
            }
        }

        @Override
        public String address() {
            return Cluster.this.address();
        }
    }

    void close() {
        synchronized (this) {
            closed = true;
            mailboxes.forEach(mailbox -> mailbox.inbox.close());
        }
        nodes.values().forEach(ClusterNode::close);
    }
}
