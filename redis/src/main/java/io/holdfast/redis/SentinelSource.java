package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Connections to whatever server the Sentinels call the master. They are asked for every connection, whichever answers
 * first, and the server is asked whether it agrees. So a connection that is lost, or refused because its server has become
 * a replica, leads to the new master.
 *
 * <p>An old master that is cut off from the Sentinels, but not from us, would go on answering over a connection that is
 * fine. So one Sentinel is listened to, and one after the other is asked every few seconds, since the one may be cut off with
 * the old master: when any tells of a later one, connections to the old one are closed, and none is opened on the word of a
 * Sentinel that has not heard of it yet.
 */
final class SentinelSource implements ConnectionSource {
    private static final Logger log = LoggerFactory.getLogger(SentinelSource.class);

    /** In this time every Sentinel in reach of the others has heard of a new master. */
    private static final long NEWS_NANOS = 5_000_000_000L;

    private static final long LOOK_NANOS = 3_000_000_000L;
    private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);

    /** Who is the master, and since when we know it. */
    private record News(SentinelWord word, long nanos) {
        HostAndPort master() {
            return word.master();
        }

        boolean isCounted() {
            return word.epoch() != SentinelWord.UNKNOWN;
        }

        boolean isFresh(Platform platform) {
            return platform.nanoTime() - nanos < NEWS_NANOS;
        }
    }

    private record Open(ConnectionSource from, HostAndPort server, AtomicReference<@Nullable Closeable> socket) {}

    private final SentinelUri uri;
    private final Platform platform;
    private final List<ConnectionSource> sentinels;
    private final Map<Connection, Open> open = Collections.synchronizedMap(new IdentityHashMap<>());

    /** Who is asked first: the one that gave the last good answer. */
    private volatile int first;

    /** The latest that any Sentinel said; null before one has said anything. Written under the lock of what is open. */
    private volatile @Nullable News told;

    /** Who is asked at the next look. */
    private volatile int next;

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
    public Connection open(Duration timeout, Consumer<Closeable> opening) {
        long deadline = platform.nanoTime() + timeout.toNanos();
        Search search = new Search();
        int start = first;
        Map<SentinelWord, Integer> doubtful = new LinkedHashMap<>();
        for (int i = 0; i < sentinels.size(); i++) {
            int asked = (start + i) % sentinels.size();
            SentinelWord word = search.word(asked, left(deadline).dividedBy(2));
            if (word != null && isOldNews(word)) {
                doubtful.putIfAbsent(word, asked);
            } else if (word != null && search.tried.add(word.master())) {
                Connection opened = search.open(word.master(), left(deadline), opening);
                if (opened != null && !isOldNews(word)) {
                    return opened(opened, asked);
                }
                if (opened != null) {
                    drop(opened);
                    search.attempts.failed(
                            ServerList.text(word.master()) + " was the master a moment ago, and is not now");
                }
            }
        }
        if (!search.mayDoubt()) {
            doubtful.clear();
        }
        for (Map.Entry<SentinelWord, Integer> named : doubtful.entrySet()) {
            HostAndPort master = named.getKey().master();
            Connection opened = search.tried.add(master) ? search.open(master, left(deadline), opening) : null;
            if (opened != null) {
                return opened(opened, named.getValue());
            }
        }
        // It may be behind the times.
        first = (start + 1) % sentinels.size();
        throw search.attempts.failure();
    }

    /** Whether another master was told of: one Sentinel hears of it after the other. */
    private boolean isOldNews(SentinelWord word) {
        News last = told;
        return last != null && !last.master().equals(word.master());
    }

    /**
     * Whether what was told is no longer so, though nobody knows of a later failover: most Sentinels answer, and none of them
     * says it. They were set up anew and count from the beginning, or the one that told of it was alone with it and is gone.
     */
    private boolean isOutlived(List<SentinelWord> words) {
        News last = told;
        return last != null
                && words.size() > sentinels.size() / 2
                && words.stream().allMatch(this::isOldNews)
                && !last.isFresh(platform);
    }

    private Connection opened(Connection connection, int sentinel) {
        first = sentinel;
        attend();
        return connection;
    }

    /** What came of asking one after the other. */
    private final class Search {
        final Set<HostAndPort> tried = new HashSet<>();
        final Attempts attempts = new Attempts();
        private final List<SentinelWord> words = new ArrayList<>();
        private final Set<HostAndPort> unreached = new HashSet<>();

        /** Whether one may be the master that is not what was told: it may be that which is old. */
        boolean mayDoubt() {
            News last = told;
            if (last == null || last.isCounted()) {
                return isOutlived(words);
            }
            // There is no telling. But if it was just told, and only cannot be reached, it may be there in a moment.
            return !unreached.contains(last.master()) || !last.isFresh(platform);
        }

        /** What this Sentinel says; null if it says nothing. */
        @Nullable
        SentinelWord word(int sentinel, Duration timeout) {
            ConnectionSource asked = sentinels.get(sentinel);
            try {
                SentinelWord word = ask(asked, timeout);
                if (word == null) {
                    attempts.refused(asked.address() + " knows no master '" + uri.master() + "'");
                    return null;
                }
                words.add(word);
                hear(word);
                return word;
            } catch (RuntimeException e) {
                // Whatever it is, the next one may do better.
                attempts.failed(asked.address(), e);
                return null;
            }
        }

        @Nullable
        Connection open(HostAndPort master, Duration timeout, Consumer<Closeable> opening) {
            RedisUri server = uri.server(master);
            ConnectionSource source = ConnectionSource.to(server, platform);
            AtomicReference<@Nullable Closeable> socket = new AtomicReference<>();
            Connection opened = null;
            try {
                opened = source.open(timeout, made -> {
                    socket.set(made);
                    opening.accept(made);
                });
                String role = role(opened);
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

    private @Nullable SentinelWord ask(ConnectionSource sentinel, Duration timeout) {
        return Question.ask(sentinel, platform, timeout, connection -> SentinelWord.ask(connection, uri.master()));
    }

    /** What a server says it is; null if it may not be asked, and then its refusal to write says enough. */
    static @Nullable String role(Connection connection) {
        try {
            connection.sendCommand(() -> "ROLE".getBytes(US_ASCII));
            return connection.getOne() instanceof List<?> role && !role.isEmpty() ? Reply.text(role.get(0)) : "riddle";
        } catch (JedisDataException e) {
            if (!JedisErrors.isFinal(e)) {
                throw e;
            }
            return null;
        }
    }

    private Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1_000_000, deadline - platform.nanoTime()));
    }

    // --- news of another master

    private synchronized void attend() {
        if (news == null && !closed) {
            AnySentinel any = new AnySentinel();
            news = new Inbox(platform, new InboxLine(any, false), "+switch-master", new SwitchListener(any));
            news.start();
            next = first;
            platform.schedule(LOOK_NANOS, this::look);
        }
    }

    /** Not on the timer's thread, since a Sentinel may not answer. */
    private void look() {
        if (!isClosed()) {
            platform.callbacks().execute(() -> {
                try {
                    lookAround();
                } finally {
                    platform.schedule(LOOK_NANOS, this::look);
                }
            });
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Asks the next Sentinel that answers, and all of them if it knows of another master. */
    private void lookAround() {
        for (int i = 0; i < sentinels.size() && !isClosed(); i++) {
            int asked = next;
            next = (asked + 1) % sentinels.size();
            SentinelWord word = word(sentinels.get(asked));
            if (word != null) {
                hear(word);
                if (isOldNews(word)) {
                    compare();
                } else {
                    confirmed(word);
                }
                return;
            }
        }
    }

    /** A Sentinel says something else than was told before: the others may say why. */
    private void compare() {
        List<SentinelWord> words =
                sentinels.stream().map(this::word).filter(Objects::nonNull).toList();
        words.forEach(this::hear);
        if (isOutlived(words)) {
            masterIs(Collections.max(words, Comparator.comparingLong(SentinelWord::epoch)));
        }
        words.stream().filter(word -> !isOldNews(word)).findAny().ifPresent(this::confirmed);
    }

    /** What leads elsewhere was opened on the word of one that knew less, unless there is no telling. */
    private void confirmed(SentinelWord word) {
        if (word.epoch() != SentinelWord.UNKNOWN) {
            closeOthers(word.master());
        }
    }

    /** What a Sentinel says; null if it does not answer. */
    private @Nullable SentinelWord word(ConnectionSource sentinel) {
        try {
            return ask(sentinel, LOOK_TIMEOUT);
        } catch (RuntimeException e) {
            log.debug(
                    "{} does not say who is the master: {}",
                    sentinel.address(),
                    JedisErrors.unsaid(e, null).toString());
            return null;
        }
    }

    /** Takes the word for it of a Sentinel that knows of a later failover than the others so far. */
    private void hear(SentinelWord word) {
        synchronized (open) {
            News last = told;
            if (word.epoch() == SentinelWord.UNKNOWN
                    || (last != null && last.word().epoch() >= word.epoch())) {
                return;
            }
            told = new News(word, platform.nanoTime());
        }
        closeOthers(word.master());
    }

    private void masterIs(SentinelWord word) {
        synchronized (open) {
            told = new News(word, platform.nanoTime());
        }
        closeOthers(word.master());
    }

    /** Closes what leads elsewhere. */
    private void closeOthers(HostAndPort master) {
        List<Open> others;
        synchronized (open) {
            others = open.values().stream()
                    .filter(each -> !each.server().equals(master))
                    .toList();
        }
        for (Open other : others) {
            // Once: it stays among those that are open until whoever has it comes to use it.
            Closeable socket = other.socket().getAndSet(null);
            if (socket != null) {
                log.info(
                        "{} has another master, {}; the connection to {} is closed",
                        address(),
                        ServerList.text(master),
                        ServerList.text(other.server()));
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
            SentinelWord word = word(any.present);
            if (word != null && word.epoch() == SentinelWord.UNKNOWN) {
                // There is nothing else to go by than who spoke last.
                masterIs(word);
            } else if (word != null) {
                hear(word);
            }
        }

        /** Name, old host and port, new host and port. It may come late, so the Sentinel is asked what it counts. */
        @Override
        public void message(String text, @Nullable String life) {
            String[] words = text.split(" ", -1);
            if (words.length == 5 && words[0].equals(uri.master()) && words[4].matches("[0-9]{1,5}")) {
                HostAndPort master = new HostAndPort(words[3], Integer.parseInt(words[4]));
                SentinelWord word = word(any.present);
                if (word != null && word.epoch() != SentinelWord.UNKNOWN) {
                    hear(word);
                } else {
                    News last = told;
                    masterIs(new SentinelWord(
                            master,
                            last == null ? SentinelWord.UNKNOWN : last.word().epoch()));
                }
            }
        }
    }

    /** Connections to one Sentinel after the other. */
    private final class AnySentinel implements ConnectionSource {
        private final Map<Connection, ConnectionSource> from = Collections.synchronizedMap(new IdentityHashMap<>());
        private int next = first;
        private volatile ConnectionSource present = sentinels.get(next);

        @Override
        public Connection open(Duration timeout, Consumer<Closeable> opening) {
            ConnectionSource sentinel = sentinels.get(next++ % sentinels.size());
            present = sentinel;
            Connection opened = sentinel.open(timeout, opening);
            from.put(opened, sentinel);
            return opened;
        }

        @Override
        public void drop(Connection connection) {
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
                    connection.sendCommand(() -> "SENTINEL".getBytes(US_ASCII), "ckquorum", uri.master());
                    return connection.getOne();
                });
                SentinelWord word = word(sentinel);
                return word == null || word.epoch() != SentinelWord.UNKNOWN
                        ? List.of()
                        : List.of(
                                sentinel.address() + " may not be asked of which failover its master is: a client that"
                                        + " listens to a Sentinel which is cut off from the others stays with the old master;"
                                        + " grant +sentinel|master");
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
    public void drop(Connection connection) {
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
