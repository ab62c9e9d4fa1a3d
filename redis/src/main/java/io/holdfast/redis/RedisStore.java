package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Origin;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import io.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/**
 * Locks on one Redis server. A lock is a plain string with an expiry, set if absent, as in the recipe that clients in
 * every language use, so that it excludes them and is excluded by them.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().store(RedisStore.on(jedisPool)).build();
 * }</pre>
 *
 * <h2>The protocol</h2>
 *
 * Every operation is one script, compared with the owner id of that very acquisition, so it may be repeated, and a late
 * one touches nobody else.
 *
 * <p>Who waits leaves a ticket. Whoever frees the lock grants it, in the same script, to the first live ticket, for a
 * short time, and publishes to that client's inbox. The message says when that was by the server's clock, and the waiter
 * knows from its last request which moment of its own that cannot be before: it has the lock from there, and renews it
 * soon. If there is no telling how old the message is, it asks, finds the lock its own, and has the full lease from that
 * request. If it does neither, the grant runs out and whoever asks next moves the queue on.
 *
 * <p>An acquire carries the server time after which it is refused. So one that hangs in a dead connection cannot take the
 * lock for a caller who has long given up: the release is said at once, and once more after that time.
 */
public final class RedisStore implements LockStore {
    /** As in lock.lua. */
    private static final Duration TICKET = Duration.ofSeconds(6);

    private static final long FOLLOW_UP_PAUSE_NANOS = 500_000_000L;
    private static final int FOLLOW_UP_TRIES = 120;

    private final RedisLink link;
    private final StoreContext context;
    private final Keys keys;
    private final Duration timeout;
    private final ServerClock serverClock;
    private final Unanswered unanswered;
    private final Verdicts verdicts;
    private final Several several;
    private final RedisLatches latches;
    private final Inspection inspection;
    private final Introduction introduction;

    /** Somebody here has shared a lock: from then on the key that says who does is named along with the others. */
    private volatile boolean shares;

    RedisStore(RedisLink link, StoreContext context) {
        this(link, context, new Keys(context.keyPrefix()), new Unanswered(context.platform()));
    }

    /** A store on one node of a cluster, if the keys are those of one; its nodes share what is unanswered. */
    RedisStore(RedisLink link, StoreContext context, Keys keys, Unanswered unanswered) {
        this(link, context, keys, unanswered, new ServerClock(), context.commandTimeout());
    }

    private RedisStore(
            RedisLink link,
            StoreContext context,
            Keys keys,
            Unanswered unanswered,
            ServerClock serverClock,
            Duration timeout) {
        this.link = link;
        this.context = context;
        this.keys = keys;
        this.timeout = timeout;
        this.serverClock = serverClock;
        this.unanswered = unanswered;
        // A key that is not named beforehand may be on its way to another node.
        this.shares = keys.areSpread();
        this.verdicts = new Verdicts(link, keys);
        this.several = new Several(
                link,
                keys,
                context,
                timeout,
                serverClock,
                unanswered,
                verdicts,
                (name, owner) -> sayAgain(name, owner, 0, FOLLOW_UP_TRIES),
                this::isReady,
                this::prepare);
        this.latches = new RedisLatches(link, keys, timeout, serverClock, this::now, this::listen);
        this.inspection = new Inspection(link, keys, timeout);
        // In a cluster the client introduces itself once, not at every node.
        this.introduction = new Introduction(
                keys.areSpread() ? context.anonymous() : context, keys, command -> link.command(timeout, command));
    }

    /** The same, for a request that has less time than others: some of it has gone into finding this server. */
    RedisStore within(Duration left) {
        return new RedisStore(link, context, keys, unanswered, serverClock, left);
    }

    /**
     * A store on the application's own pool, which is never closed here. Three of its connections are kept while the
     * client lives, and a fourth with {@code minReplicas}, which is refused if the pool has fewer than five.
     *
     * @throws IllegalArgumentException if the pool has fewer than four
     */
    public static StoreFactory on(JedisPool pool) {
        return on(pool, "redis (the application's pool)");
    }

    static StoreFactory on(JedisPool pool, String address) {
        PoolSource.check(pool);
        return context -> new RedisStore(
                new JedisLink(PoolSource.of(pool, address, context.platform()), context.platform()), context);
    }

    /**
     * A store on the master of the application's own pool, which is never closed here. Three of its connections are kept
     * while the client lives, and a fourth with {@code minReplicas}, which is refused if the pool has fewer than five. When
     * the Sentinels name another master, the locks go on there.
     *
     * @throws IllegalArgumentException if the pool has fewer than four
     */
    public static StoreFactory on(JedisSentinelPool pool) {
        PoolSource.check(pool);
        return context -> new RedisStore(
                new JedisLink(
                        new SentinelPoolSource(pool, "redis (the application's Sentinel pool)", context.platform()),
                        context.platform()),
                context);
    }

    /**
     * A store on the application's own client, which is never closed here.
     *
     * <p>If it is one for a cluster ({@code JedisCluster}, {@code RedisClusterClient}), connections of its nodes are
     * borrowed, two of each for commands and renewals, and all is as with {@code redis-cluster://}; {@code minReplicas} is
     * refused if it has fewer than five connections for a node. Any other is sent the commands themselves, and its
     * time-outs are the application's.
     *
     * <p>From the first wait for a lock on, one connection of such a client is kept, by which the waiters are told. If the
     * client tells its pool ({@code JedisPooled}, {@code RedisClient}), it is borrowed there, and closed in the end. Any other
     * client goes on using that connection, so it is not looked at whether the connection is still alive: if it is not,
     * those who wait are not told, and look again after two seconds at most. It has to have two connections or more: with a
     * single one, whoever waits for a lock would wait for the connection as well, for as long as the client likes.
     *
     * <p>A client that does not tell its pool, or was built with an executor of its own, may send a command again without
     * saying so, and the first attempt may be carried out last. So what it answers is taken for an answer to the second:
     * each lock costs one command more, a release that is said again when the server refuses such an attempt.
     *
     * @throws IllegalArgumentException if it is one for a cluster and has fewer than four connections for a node, or if it
     *     tells its pool and that has fewer than two
     */
    public static StoreFactory on(UnifiedJedis jedis) {
        HandedInCluster.Factory cluster = HandedInCluster.of(requireNonNull(jedis, "jedis"));
        Pool<Connection> pool = ClientPool.of(jedis);
        if (pool != null) {
            PoolSource.checkForInbox(pool);
        }
        return cluster == null
                ? context -> new RedisStore(new UnifiedLink(jedis, context.platform()), context)
                : context -> new ClusterStore(cluster.of(context), context);
    }

    /**
     * The store of a URI, with TLS spoken by this context instead of the JVM's own: for a private authority, or to show a
     * certificate. The server's certificate has to name the host as the URI does.
     *
     * @param uri {@code rediss://}, {@code rediss-sentinel://}, {@code rediss-cluster://} or {@code redlocks://}
     * @param parameters the protocols and ciphers to use; nothing else of them is used
     * @throws IllegalArgumentException if the URI is malformed, or not one over TLS
     */
    public static StoreFactory overTls(String uri, SSLContext context, SSLParameters parameters) {
        return RedisStoreProvider.overTls(new StoreUri(uri), new Tls(context, parameters));
    }

    /** A store over a transport of one's own, which is closed with the client. */
    public static StoreFactory over(Function<StoreContext, RedisLink> transport) {
        requireNonNull(transport, "transport");
        return context -> new RedisStore(transport.apply(context), context);
    }

    // --- acquire

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return ask(request, null).thenCompose(RedisStore::known);
    }

    @Override
    public void acquire(AcquireRequest request, CompletableFuture<AcquireReply> told) {
        if (!request.waits() || request.replicas() > 0 || !isReady()) {
            LockStore.super.acquire(request, told);
            return;
        }
        ServerClock.Moment sent = now();
        Ask ask = new Ask(request, null, sent.nanos() + timeout.toNanos(), ReleaseReply.NOT_OWNER, true);
        CompletableFuture<RedisLink.Answer> answer = new CompletableFuture<>();
        Sent message = message(ask);
        LockStore.tell(understood(message, answer).thenCompose(RedisStore::known), told);
        link.run(
                RedisLink.Lane.COMMANDS,
                Script.LOCK,
                lockKeys(request.name()),
                message.args(),
                message.left(),
                RedisStore::isPlaceInLine,
                answer);
    }

    /** Whether a reply to an acquire says that it has to wait, and will be told. */
    private static boolean isPlaceInLine(Object reply) {
        return reply instanceof List<?> parts
                && parts.size() > 5
                && Long.valueOf(2).equals(parts.get(0))
                && Long.valueOf(1).equals(parts.get(5));
    }

    @Override
    public CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
        // Who gives up does not wait for the replicas of the next.
        return next.replicas() > 0 ? LockStore.super.exchange(owner, next) : ask(next, owner);
    }

    private static CompletionStage<AcquireReply> known(ExchangeReply reply) {
        return reply.acquired() instanceof AcquireReply.Failed failed
                ? CompletableFuture.failedFuture(failed.failure())
                : CompletableFuture.completedFuture(reply.acquired());
    }

    private CompletionStage<ExchangeReply> ask(AcquireRequest request, @Nullable String before) {
        ServerClock.Moment sent = now();
        long deadline = sent.nanos() + timeout.toNanos();
        Ask ask = new Ask(request, before, deadline, ReleaseReply.NOT_OWNER, true);
        return isReady() ? send(ask) : prepare().thenCompose(known -> send(ask));
    }

    private boolean isReady() {
        return serverClock.isKnown() && introduction.hasBegun();
    }

    /** The first who asks for a lock reads the clock, and says in the same go who this client is. */
    private CompletionStage<RedisLink.Answer> prepare() {
        ServerClock.Moment sent = now();
        if (!introduction.begins()) {
            return serverClock.ask(link, sent, timeout);
        }
        List<CompletionStage<RedisLink.Answer>> answers =
                link.commands(timeout, List.of(new String[] {"TIME"}, introduction.command()));
        introduction.said(answers.get(1));
        return serverClock.read(link, sent, answers.get(0)).whenComplete((known, error) -> {
            if (error != null) {
                introduction.failed();
            }
        });
    }

    /**
     * A request and how it stands.
     *
     * @param before who gives up in the same go; null if nobody does
     * @param released what is known of that one so far
     * @param first whether no attempt was too late yet
     */
    private record Ask(
            AcquireRequest request, @Nullable String before, long deadline, ReleaseReply released, boolean first) {
        Ask again(ReleaseReply known, boolean stillFirst) {
            return new Ask(request, before, deadline, known, stillFirst);
        }
    }

    /**
     * What is sent for a request.
     *
     * @param notAfter server time in µs
     */
    private record Sent(Ask ask, List<String> args, ServerClock.Moment moment, Duration left, long notAfter) {}

    private CompletionStage<ExchangeReply> send(Ask ask) {
        Sent message = message(ask);
        if (ask.request().replicas() > 0) {
            return sendConfirmed(message);
        }
        return understood(
                message,
                link.run(
                        RedisLink.Lane.COMMANDS,
                        Script.LOCK,
                        lockKeys(ask.request().name()),
                        message.args(),
                        message.left()));
    }

    private Sent message(Ask ask) {
        AcquireRequest request = ask.request();
        ServerClock.Moment sent = now();
        // Rounded up, so that a message names the time-out that was set.
        Duration left = Duration.ofMillis(Math.max(1, (ask.deadline() - sent.nanos() + 999_999) / 1_000_000));
        long notAfter = serverClock.at(sent.nanos()) + left.toNanos() / 1_000;
        String lease = Long.toString(request.lease().toMillis());
        List<String> args = new ArrayList<>(11);
        Collections.addAll(args, "A", request.owner(), lease, Long.toString(notAfter));
        Share share = request.share();
        // What the script takes for granted is left out, as far as nothing follows it.
        boolean more = request.tokens() != 1 || ask.before() != null || !share.isWhole();
        if (more || !request.waits()) {
            args.add(request.waits() ? "" : "0");
        }
        if (more) {
            args.add("");
            args.add(Integer.toString(request.tokens()));
        }
        if (ask.before() != null || !share.isWhole()) {
            args.add(ask.before() == null ? "" : ask.before());
        }
        if (!share.isWhole()) {
            shares = true;
            args.add(share.isRead() ? "r" : "p");
            args.add(Integer.toString(share.weight()));
            args.add(Integer.toString(share.permits()));
        }
        return new Sent(ask, args, sent, left, notAfter);
    }

    private CompletionStage<ExchangeReply> understood(Sent message, CompletionStage<RedisLink.Answer> known) {
        String owner = message.ask().request().owner();
        return known.handle((answer, error) -> {
                    if (error != null || answer.repeated()) {
                        unanswered.add(owner, message.notAfter(), context.commandTimeout());
                    }
                    if (error != null) {
                        return CompletableFuture.<ExchangeReply>failedFuture(cause(error));
                    }
                    try {
                        return understand(message.ask(), message.moment(), answer);
                    } catch (StoreFailure nonsense) {
                        // Whose answer it was, and what became of the request, nobody knows.
                        unanswered.add(owner, message.notAfter(), context.commandTimeout());
                        return CompletableFuture.<ExchangeReply>failedFuture(nonsense);
                    }
                })
                .thenCompose(reply -> reply);
    }

    /** A grant counts once so many replicas have it; otherwise whoever asked gives it back. */
    private CompletionStage<ExchangeReply> sendConfirmed(Sent message) {
        Ask ask = message.ask();
        AcquireRequest request = ask.request();
        Duration left = message.left();
        Duration wait = request.lease().dividedBy(10);
        return link.runConfirmed(
                        Script.LOCK,
                        lockKeys(request.name()),
                        message.args(),
                        left,
                        request.replicas(),
                        wait.compareTo(left) < 0 ? wait : left)
                .handle((confirmed, error) -> {
                    try {
                        if (error != null) {
                            throw StoreFailure.of(error);
                        }
                        Reply reply = new Reply(link, confirmed.answer()).acquired(request.owner());
                        boolean granted = reply.part(0).count() == 1;
                        return granted && confirmed.replicas() < request.replicas()
                                ? CompletableFuture.completedFuture(new ExchangeReply(
                                        ask.released(), new AcquireReply.Unconfirmed(confirmed.replicas())))
                                : understand(ask, message.moment(), confirmed.answer());
                    } catch (StoreFailure failure) {
                        unanswered.add(request.owner(), message.notAfter(), context.commandTimeout());
                        return CompletableFuture.<ExchangeReply>failedFuture(failure);
                    }
                })
                .thenCompose(reply -> reply);
    }

    private CompletionStage<ExchangeReply> understand(Ask ask, ServerClock.Moment sent, RedisLink.Answer answer) {
        AcquireRequest request = ask.request();
        Reply reply = new Reply(link, answer).acquired(request.owner());
        int code = (int) Math.min(reply.part(0).count(), 9);
        long time = reply.part(1).count();
        long gaveUp = reply.part(2).count();
        if (gaveUp > 1) {
            throw reply.nonsense();
        }
        ReleaseReply released = ask.released() == ReleaseReply.RELEASED ? ask.released() : released(gaveUp, answer);
        serverClock.read(time, sent, answer.life());
        if (ask.before() != null) {
            followUp(request.name(), ask.before(), time);
        }
        AcquireReply acquired = switch (code) {
            case 2 -> {
                Duration recheck = recheck(reply.part(3).number(), reply.part(4).count(), context.platform()::random);
                boolean notified = reply.part(5).count() == 1;
                listen();
                yield new AcquireReply.Queued(recheck, notified, before(request, reply));
            }
            case 4 -> {
                if (ask.first()) {
                    // The server's clock is ahead of what we thought, and we know it now.
                    yield null;
                }
                yield new AcquireReply.Failed(StoreFailure.unavailable(
                        link.address() + " took longer than " + timeout.toMillis() + " ms to get to the request",
                        null));
            }
            case 7 -> {
                if (ask.deadline() - context.platform().nanoTime() <= 0) {
                    yield new AcquireReply.Failed(StoreFailure.unavailable(
                            link.address() + " cleared dead tickets for " + timeout.toMillis() + " ms, and has more",
                            null));
                }
                yield null;
            }
            default -> verdicts.read(code, request, reply);
        };
        return acquired == null
                ? send(ask.again(released, ask.first() && code != 4))
                : CompletableFuture.completedFuture(new ExchangeReply(released, acquired));
    }

    /** Whom of the same client a request stands directly behind. */
    private static @Nullable String before(AcquireRequest request, Reply queued) {
        if (request.tokens() > AcquireRequest.ONE_EACH || queued.list(6).size() == 6) {
            return null;
        }
        String before = queued.part(6).text();
        String owner = request.owner();
        if (before.isEmpty()) {
            return request.share().isWhole() ? null : AcquireReply.Queued.FIRST;
        }
        return before.startsWith(owner.substring(0, owner.indexOf(':') + 1)) ? before : null;
    }

    /**
     * When to ask again if nobody calls: the first in line when the holder's time is over, the others one after the other, since
     * those before them may have died with it, and everybody before a grant of which it was not told is over, if it wants the
     * lock for two seconds or more.
     */
    static Duration recheck(long leftMillis, long place, LongUnaryOperator random) {
        long longest = TICKET.toMillis() / 3;
        long left = Math.max(0, Math.min(leftMillis, longest));
        if (place == 0) {
            return Duration.ofMillis(Math.min(left + 1, longest));
        }
        long step = 50;
        if (place <= 20 && left + (place + 1) * step < longest) {
            return Duration.ofMillis(left + place * step + random.applyAsLong(step));
        }
        return Duration.ofMillis(longest - random.applyAsLong(longest / 4));
    }

    @Override
    public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
        if (requests.stream().anyMatch(request -> request.replicas() > 0)) {
            return LockStore.super.acquireAll(requests, part);
        }
        if (requests.stream().anyMatch(request -> !request.share().isWhole())) {
            // Never back: whoever renews a share must know.
            shares = true;
        }
        return several.acquire(requests, part);
    }

    // --- release

    @Override
    public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
        // One that is in doubt is said again later, which is done one by one.
        List<ReleaseItem> sure = items.stream()
                .takeWhile(item -> !unanswered.isInDoubt(item.owner()))
                .toList();
        ReleaseItem first = items.get(0);
        return sure.isEmpty() ? release(first.name(), first.owner()).thenApply(List::of) : several.release(sure);
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return release(name, owner, List.of());
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner, List<String> served) {
        if (!served.isEmpty() && served.stream().anyMatch(unanswered::isInDoubt)) {
            // One that is in doubt is said again later, which is done one by one.
            return LockStore.super.release(name, owner, served);
        }
        return sendRelease(name, owner, served, timeout).thenApply(answer -> {
            Reply reply = new Reply(link, answer).released();
            followUp(name, owner, reply);
            return released(reply.part(0).count(), answer);
        });
    }

    static ReleaseReply released(long held, RedisLink.Answer answer) {
        // A repeated release that finds nothing has found the work of its first attempt, if the server still is what it
        // was. If it may have been restarted, the lock may have gone with its memory.
        boolean before = answer.repeated() && answer.sameServer();
        return held == 1 || before ? ReleaseReply.RELEASED : ReleaseReply.NOT_OWNER;
    }

    /** Says the release once more, if an acquire may come after this one, when the server refuses such an acquire. */
    private void followUp(String name, String owner, Reply release) {
        if (release.list(1).size() > 1) {
            followUp(name, owner, release.part(1).count());
        } else if (unanswered.isInDoubt(owner)) {
            // The doubt has come up since; the next answer tells the time.
            sayAgain(name, owner, context.commandTimeout().toNanos(), FOLLOW_UP_TRIES);
        }
    }

    private void followUp(String name, String owner, long releasedMicros) {
        long doubtMicros = unanswered.microsLeft(owner, releasedMicros);
        if (doubtMicros > 0) {
            sayAgain(name, owner, 1_000 * doubtMicros, FOLLOW_UP_TRIES);
        }
    }

    private void sayAgain(String name, String owner, long delayNanos, int tries) {
        Unanswered.Router router = unanswered.router();
        if (router != null) {
            // The lock may be another server's by then, and with it what this was about; that one says it again if need
            // be.
            context.platform()
                    .schedule(
                            delayNanos,
                            () -> context.platform()
                                    .callbacks()
                                    .execute(() -> router.release(name, owner).whenComplete((reply, error) -> {
                                        if (error != null && tries > 1) {
                                            sayAgain(name, owner, FOLLOW_UP_PAUSE_NANOS, tries - 1);
                                        }
                                    })));
            return;
        }
        Duration whole = context.commandTimeout();
        Runnable say = () -> sendRelease(name, owner, List.of(), whole).whenComplete((answer, error) -> {
            if (error == null) {
                followUp(name, owner, new Reply(link, answer).released());
            } else if (tries > 1) {
                sayAgain(name, owner, FOLLOW_UP_PAUSE_NANOS, tries - 1);
            }
        });
        context.platform()
                .schedule(delayNanos, () -> context.platform().callbacks().execute(say));
    }

    private CompletionStage<RedisLink.Answer> sendRelease(
            String name, String owner, List<String> served, Duration within) {
        ServerClock.Moment sent = now();
        List<String> args = new ArrayList<>(3 + served.size());
        Collections.addAll(args, "R", owner);
        if (!served.isEmpty() || unanswered.isInDoubt(owner)) {
            args.add("time");
            args.addAll(served);
        }
        return link.run(RedisLink.Lane.COMMANDS, Script.LOCK, lockKeys(name), args, within)
                .thenApply(answer -> {
                    Reply reply = new Reply(link, answer).released();
                    if (reply.part(0).count() > 1) {
                        throw reply.nonsense();
                    }
                    if (reply.list(1).size() > 1) {
                        serverClock.read(reply.part(1).count(), sent, answer.life());
                    }
                    return answer;
                });
    }

    // --- renew

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration within) {
        // It was set before the first share was asked for, so that this is right for all of these.
        boolean shared = shares;
        List<String> scriptKeys = Renewals.keys(keys, batch, shared);
        return link.run(RedisLink.Lane.RENEWALS, Script.RENEW, scriptKeys, Renewals.args(batch), within)
                .thenApply(answer -> Renewals.read(new Reply(link, answer), link, batch.size(), !shared));
    }

    // --- the rest

    @Override
    public CompletionStage<Boolean> resize(String name, int permits) {
        shares = true;
        List<String> args = List.of("resize", "", Integer.toString(permits));
        return link.run(RedisLink.Lane.COMMANDS, Script.LOCK, lockKeys(name), args, timeout)
                .thenApply(answer -> {
                    Reply reply = new Reply(link, answer);
                    if (reply.part(0).count() > 1) {
                        throw reply.nonsense();
                    }
                    return reply.part(0).count() == 1;
                });
    }

    @Override
    public CompletionStage<Boolean> expel(String name, String owner) {
        return release(name, owner).thenApply(reply -> {
            if (reply == ReleaseReply.RELEASED && owner.indexOf(':') > 0) {
                String by = context.origin().map(Introduction::text).orElse("");
                String news = owner + " !" + URLEncoder.encode(by, StandardCharsets.UTF_8) + " " + keys.lock(name);
                // If nobody hears it, the holder notices when it renews.
                link.command(timeout, "PUBLISH", keys.inbox() + owner.substring(0, owner.indexOf(':')), news);
            }
            return reply == ReleaseReply.RELEASED;
        });
    }

    @Override
    public LatchStore latches() {
        return latches;
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        return inspection
                .locks(pattern)
                .thenApply(locks -> keys.areSpread()
                        ? locks
                        : Introduction.locate(locks, keys, commands -> link.commands(timeout, commands)));
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        return CompletableFuture.completedFuture(
                new Checkup(link, context.platform(), timeout, keys.areSpread()).run());
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(
                Capability.ACROSS_PROCESSES,
                Capability.NOTIFICATION,
                Capability.FIRST_COME,
                Capability.SHARING,
                Capability.LATCHES,
                Capability.REPLICAS,
                Capability.ORIGINS);
    }

    @Override
    public String address() {
        return link.address();
    }

    @Override
    public void close() {
        introduction.close();
        link.close();
    }

    /** One command about a single key of this server. */
    CompletionStage<RedisLink.Answer> command(String... command) {
        return link.command(timeout, command);
    }

    /** From now on those who wait here are told. */
    private void listen() {
        link.listen(keys.inbox() + context.clientId(), new Mail());
    }

    private List<String> lockKeys(String name) {
        return shares
                ? List.of(keys.lock(name), keys.queue(name), keys.tickets(name), keys.fence(name), keys.holds(name))
                : List.of(keys.lock(name), keys.queue(name), keys.tickets(name), keys.fence(name));
    }

    private ServerClock.Moment now() {
        return new ServerClock.Moment(
                context.platform().nanoTime(), context.platform().wallMillis());
    }

    static Throwable cause(Throwable error) {
        return error instanceof java.util.concurrent.CompletionException && error.getCause() != null
                ? error.getCause()
                : error;
    }

    /** What comes into this client's inbox: who got which lock when, for how long, and with which tokens. */
    private final class Mail implements RedisLink.Listener {
        /** A holder, who has taken the lock from it, and the lock. */
        private static final Pattern FORCED = Pattern.compile("(\\S+) !(\\S{0,2000}) (.+)");

        private static Optional<Origin> by(String encoded) {
            try {
                return Introduction.read(URLDecoder.decode(encoded, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        @Override
        public void subscribed() {
            context.events().wakeAll();
        }

        @Override
        public void message(String text, @Nullable String life) {
            int space = text.indexOf(' ');
            if (text.startsWith(" !", space)) {
                Matcher forced = FORCED.matcher(text);
                if (forced.matches() && keys.isLock(forced.group(3))) {
                    context.events()
                            .expelled(
                                    keys.name(forced.group(3)),
                                    forced.group(1),
                                    StoreEvents.byForce(by(forced.group(2))));
                    return;
                }
            }
            if (space > 0 && keys.isLock(text.substring(space + 1))) {
                // Nothing but that it is worth asking.
                context.events().wake(keys.name(text.substring(space + 1)), text.substring(0, space));
                return;
            }
            GrantMessage grant = GrantMessage.read(text);
            if (grant == null || !keys.isLock(grant.lockKey())) {
                return;
            }
            String name = keys.name(grant.lockKey());
            ServerClock.Moment since = serverClock.notAfter(grant.serverMicros(), life, now());
            if (since == null) {
                context.events().wake(name, grant.owner());
            } else {
                context.events()
                        .granted(new PushedGrant(
                                name,
                                grant.owner(),
                                grant.token(),
                                grant.tokens(),
                                Duration.ofMillis(grant.lengthMillis()),
                                since.nanos(),
                                since.wallMillis(),
                                grant.behind()));
            }
        }
    }
}
