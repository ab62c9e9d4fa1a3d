package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Connections to whatever server the Sentinels call the master. They are asked for every connection, whichever answers
 * first, and the server is asked whether it agrees. So a connection that is lost, or refused because its server has become
 * a replica, leads to the new master.
 *
 * <p>An old master that is cut off from the Sentinels, but not from us, would go on answering over a connection that is
 * fine. So one Sentinel is listened to: when it tells of another master, connections to the old one are closed, and none is
 * opened on the word of another Sentinel that has not heard of it yet. That one would never tell us.
 */
final class SentinelSource implements ConnectionSource {
    private static final Logger log = LoggerFactory.getLogger(SentinelSource.class);

    /** In this time every Sentinel in reach of the others has heard of a new master. */
    private static final long NEWS_NANOS = 5_000_000_000L;

    /** Who is the master, and since when we know it. */
    private record News(HostAndPort master, long nanos) {}

    private record Open(ConnectionSource from, HostAndPort server, AtomicReference<@Nullable Closeable> socket) {}

    private final SentinelUri uri;
    private final Platform platform;
    private final List<ConnectionSource> sentinels;
    private final Map<Jedis, Open> open = Collections.synchronizedMap(new IdentityHashMap<>());

    /** Who is asked first: the one that gave the last good answer. */
    private volatile int first;

    /** What the Sentinel said last that is listened to; null before it has said anything. */
    private volatile @Nullable News told;

    private @Nullable Inbox news;
    private boolean closed;

    SentinelSource(SentinelUri uri, Platform platform) {
        this.uri = uri;
        this.platform = platform;
        this.sentinels = uri.sentinels().stream()
                .map(sentinel -> ConnectionSource.to(sentinel, platform))
                .toList();
        this.first = (int) platform.random(sentinels.size());
    }

    @Override
    public Jedis open(Duration timeout, Consumer<Closeable> opening) {
        long deadline = platform.nanoTime() + timeout.toNanos();
        Search search = new Search();
        int start = first;
        Map<HostAndPort, Integer> doubtful = new LinkedHashMap<>();
        for (int i = 0; i < sentinels.size(); i++) {
            int asked = (start + i) % sentinels.size();
            HostAndPort master =
                    search.master(sentinels.get(asked), left(deadline).dividedBy(2));
            if (master != null && isOldNews(master)) {
                doubtful.putIfAbsent(master, asked);
            } else if (master != null && search.tried.add(master)) {
                Jedis opened = search.open(master, left(deadline), opening);
                if (opened != null && !isOldNews(master)) {
                    return opened(opened, asked);
                }
                if (opened != null) {
                    drop(opened);
                    search.attempts.failed(ServerList.text(master) + " was the master a moment ago, and is not now");
                }
            }
        }
        if (search.isOutOfReach(told)) {
            doubtful.clear();
        }
        // Nobody in reach says what was told, or that one is none: then it is what was told that is old.
        for (Map.Entry<HostAndPort, Integer> named : doubtful.entrySet()) {
            Jedis opened =
                    search.tried.add(named.getKey()) ? search.open(named.getKey(), left(deadline), opening) : null;
            if (opened != null) {
                return opened(opened, named.getValue());
            }
        }
        // It may be behind the times.
        first = (start + 1) % sentinels.size();
        throw search.attempts.failure();
    }

    /** Whether another master was told of: one Sentinel hears of it after the other. */
    private boolean isOldNews(HostAndPort master) {
        News last = told;
        return last != null && !last.master().equals(master);
    }

    private Jedis opened(Jedis connection, int sentinel) {
        first = sentinel;
        listen();
        return connection;
    }

    /** What came of asking one after the other. */
    private final class Search {
        final Set<HostAndPort> tried = new HashSet<>();
        final Attempts attempts = new Attempts();
        private final Set<HostAndPort> unreached = new HashSet<>();

        /**
         * Whether the news are fresh, a Sentinel has just confirmed them, and only the new master cannot be reached. It may be
         * there in a moment, and a connection to the old one would stay with that for as long as it answers.
         */
        boolean isOutOfReach(@Nullable News news) {
            return news != null && unreached.contains(news.master()) && platform.nanoTime() - news.nanos() < NEWS_NANOS;
        }

        /** The master, by what this Sentinel says; null if it says nothing. */
        @Nullable
        HostAndPort master(ConnectionSource sentinel, Duration timeout) {
            try {
                HostAndPort named = askForMaster(sentinel, timeout);
                if (named == null) {
                    attempts.refused(sentinel.address() + " knows no master '" + uri.master() + "'");
                }
                return named;
            } catch (RuntimeException e) {
                // Whatever it is, the next one may do better.
                attempts.failed(sentinel.address(), e);
                return null;
            }
        }

        @Nullable
        Jedis open(HostAndPort master, Duration timeout, Consumer<Closeable> opening) {
            RedisUri server = uri.server(master);
            ConnectionSource source = ConnectionSource.to(server, platform);
            AtomicReference<@Nullable Closeable> socket = new AtomicReference<>();
            Jedis opened = null;
            try {
                opened = source.open(timeout, made -> {
                    socket.set(made);
                    opening.accept(made);
                });
                String role = role(opened.getConnection());
                if (role == null || role.equals("master")) {
                    SentinelSource.this.open.put(opened, new Open(source, master, socket));
                    return opened;
                }
                attempts.failed(server.address() + " is called the master, and says of itself that it is a " + role);
            } catch (RuntimeException e) {
                unreached.add(master);
                attempts.failed(server.address(), e);
            }
            if (opened != null) {
                source.drop(opened);
            }
            return null;
        }
    }

    private @Nullable HostAndPort askForMaster(ConnectionSource sentinel, Duration timeout) {
        Object reply = Question.ask(sentinel, platform, timeout, connection -> {
            connection.sendCommand(() -> bytes("SENTINEL"), "get-master-addr-by-name", uri.master());
            return connection.getOne();
        });
        if (!(reply instanceof List<?> address) || address.size() != 2) {
            return null;
        }
        try {
            return new HostAndPort(Reply.text(address.get(0)), Integer.parseInt(Reply.text(address.get(1))));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** What a server says it is; null if it may not be asked, and then its refusal to write says enough. */
    static @Nullable String role(Connection connection) {
        try {
            connection.sendCommand(() -> bytes("ROLE"));
            return connection.getOne() instanceof List<?> role && !role.isEmpty() ? Reply.text(role.get(0)) : "riddle";
        } catch (JedisDataException e) {
            if (!JedisErrors.isFinal(e)) {
                throw e;
            }
            return null;
        }
    }

    private static byte[] bytes(String word) {
        return word.getBytes(US_ASCII);
    }

    private Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1_000_000, deadline - platform.nanoTime()));
    }

    // --- news of another master

    private synchronized void listen() {
        if (news == null && !closed) {
            AnySentinel any = new AnySentinel();
            news = new Inbox(platform, new InboxLine(any, false), "+switch-master", new SwitchListener(any));
            news.start();
        }
    }

    /** Closes what leads elsewhere. */
    private void masterIs(HostAndPort master) {
        told = new News(master, platform.nanoTime());
        List<Open> others;
        synchronized (open) {
            others = open.values().stream()
                    .filter(each -> !each.server().equals(master))
                    .toList();
        }
        for (Open other : others) {
            log.info(
                    "{} has another master, {}; the connection to {} is closed",
                    address(),
                    ServerList.text(master),
                    ServerList.text(other.server()));
            Closeable socket = other.socket().get();
            if (socket != null) {
                try {
                    socket.close();
                } catch (IOException e) {
                    log.debug("it was to be thrown away", e);
                }
            }
        }
    }

    private final class SwitchListener implements RedisLink.Listener {
        private final AnySentinel any;

        SwitchListener(AnySentinel any) {
            this.any = any;
        }

        /** What it said before is asked for, of the very one: another may know less, or more. */
        @Override
        public void subscribed() {
            told = null;
            try {
                HostAndPort master = askForMaster(any.present, Duration.ofSeconds(1));
                if (master != null) {
                    masterIs(master);
                }
            } catch (RuntimeException e) {
                log.debug(
                        "a Sentinel that was just reached does not answer: {}",
                        JedisErrors.unsaid(e, null).toString());
            }
        }

        /** Name, old host and port, new host and port. */
        @Override
        public void message(String text, @Nullable String life) {
            String[] words = text.split(" ", -1);
            if (words.length == 5 && words[0].equals(uri.master()) && words[4].matches("[0-9]{1,5}")) {
                masterIs(new HostAndPort(words[3], Integer.parseInt(words[4])));
            }
        }
    }

    /** Connections to one Sentinel after the other. */
    private final class AnySentinel implements ConnectionSource {
        private final Map<Jedis, ConnectionSource> from = Collections.synchronizedMap(new IdentityHashMap<>());
        private int next = first;
        private volatile ConnectionSource present = sentinels.get(next);

        @Override
        public Jedis open(Duration timeout, Consumer<Closeable> opening) {
            ConnectionSource sentinel = sentinels.get(next++ % sentinels.size());
            present = sentinel;
            Jedis opened = sentinel.open(timeout, opening);
            from.put(opened, sentinel);
            return opened;
        }

        @Override
        public void drop(Jedis connection) {
            ConnectionSource sentinel = from.remove(connection);
            if (sentinel != null) {
                sentinel.drop(connection);
            }
        }

        @Override
        public String address() {
            return SentinelSource.this.address();
        }
    }

    // --- the rest

    /** Whether there are enough Sentinels for a failover, by what the first says that answers. */
    @Override
    public List<String> weaknesses(Duration timeout) {
        long deadline = platform.nanoTime() + timeout.toNanos();
        Attempts attempts = new Attempts();
        int start = first;
        for (int i = 0; i < sentinels.size(); i++) {
            ConnectionSource sentinel = sentinels.get((start + i) % sentinels.size());
            try {
                Question.ask(sentinel, platform, left(deadline).dividedBy(2), connection -> {
                    connection.sendCommand(() -> bytes("SENTINEL"), "ckquorum", uri.master());
                    return connection.getOne();
                });
                return List.of();
            } catch (JedisDataException e) {
                String answer = sentinel.address() + " answered '" + e.getMessage() + "'";
                return List.of(
                        String.valueOf(e.getMessage()).startsWith("NOQUORUM")
                                ? answer + ": when the master fails no other takes its place, and no lock can be had;"
                                        + " start the other Sentinels"
                                : "whether there are enough Sentinels for a failover cannot be read (" + answer
                                        + "): see to it yourself, or grant +sentinel|ckquorum");
            } catch (JedisException e) {
                attempts.failed(sentinel.address(), e);
            }
        }
        return List.of("no Sentinel answers (" + attempts.failure().getMessage()
                + "): when the master fails no other is found, and no lock can be had; start the Sentinels");
    }

    @Override
    public void drop(Jedis connection) {
        Open dropped = open.remove(connection);
        if (dropped != null) {
            dropped.from().drop(connection);
        }
    }

    @Override
    public String address() {
        return uri.address();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (news != null) {
            news.close();
        }
    }
}
