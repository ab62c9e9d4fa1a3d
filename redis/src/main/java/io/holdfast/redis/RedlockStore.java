package io.holdfast.redis;

import io.holdfast.redis.AcquireVotes.Answer;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import io.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are held on a majority of several independent Redis servers: the algorithm known as Redlock, with fencing tokens
 * and a rule for restarts. No server is a replica of another; a lock outlives the loss of any minority of them.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.connect("redlock://h1:6379,h2:6379,h3:6379,h4:6379,h5:6379?maxLease=60s");
 * }</pre>
 *
 * <p>Only whole locks: nobody shares one here, and nobody is served in the order of coming, since there is no one place that
 * knows it. Thread safe.
 *
 * <h2>Why two do not hold it at once</h2>
 *
 * Every server gives its key to one holder at a time, and keeps it for the lease from a moment after the request was sent. A
 * holder has a majority of all servers, and two majorities have a server in common; there, the second got the key after the
 * first one's lease had run out, by the clock of that server. The holder counts from before its first request, less what
 * clocks may differ, so it has stopped counting on it by then. What breaks this is a server that forgets ({@link NodeSession}
 * has the rule for that), or whose clock jumps.
 *
 * <p>Whatever falls short of a majority is taken back everywhere, also where no answer has come, under a name that is dead from
 * then on ({@link HolderNames}). A message that takes back is sent on the connection of the request it undoes, so it comes behind
 * it; if that connection broke, it is said again when the server refuses the request.
 *
 * <h2>When a vote is held again</h2>
 *
 * Contenders may each get some of the servers. Each takes back what it has got, and tries again after a time of its own. That
 * is contention and not a failure, also while a minority is out of reach: with those in the way there would have been a
 * majority. And a server that has granted the lock may fall silent before it has agreed on the token; the others are enough
 * for another vote. Neither changes what is said above: each vote is held under a name of its own, what the one before it has
 * got is taken back first, on the same connections, and none counts for another. All votes of one request have one command
 * time-out together.
 *
 * <h2>Why tokens rise</h2>
 *
 * Every server has a counter. With its key it gives a number higher than all that its counter has seen; the client proposes
 * which, so that mostly all give the same. A token is used only after a majority of the servers, each still having the key as
 * it gave it, has a counter that is not below it: either all of them gave that very number, or the highest one was written
 * back to them.
 *
 * <p>Take two holders, and a server that counts in both of these majorities. It had the key of the first from when it gave it
 * until its counter had reached the first one's token, and likewise for the second; it has one key at a time, so one of these
 * times comes before the other. Whoever came second there was given a number above a counter that had reached the token of the
 * first. Its own token is not below that number. So no two are equal, and one that was asked for after another was told is the
 * higher. That a server counts only with the very value it gave is what keeps the two times apart: a lock that ran out, and
 * was made anew by a late duplicate of the request, stands there with another number.
 *
 * <p>A counter that is lost starts at the server's clock and two seconds; a proposal is capped at one second from it. So over
 * the loss of counters tokens rise as the clocks do, and no longer than these are right.
 */
public final class RedlockStore implements LockStore {
    private static final int VOTES_FOR_ONE = 3;
    private static final long LONGEST_RECHECK_MILLIS = 2_000;
    private static final long MOST_LEAD_MICROS = 1_000_000;
    private static final int RENEWED_TOGETHER = 50;

    private final RedlockSettings settings;
    private final StoreContext context;
    private final Platform platform;
    private final Keys keys;
    private final Quorum quorum;
    private final List<QuorumNode> nodes;
    private final HolderNames attempts;
    private final WakeUps wakeUps;
    private final Introduction introduction;
    private final AtomicLong highestSeen = new AtomicLong();
    private volatile boolean closed;

    RedlockStore(RedlockSettings settings, StoreContext context) {
        this.settings = settings;
        this.context = context;
        this.platform = context.platform();
        this.keys = new Keys(context.keyPrefix());
        this.quorum = new Quorum(settings.servers().size());
        this.attempts = new HolderNames(settings.maxLease());
        this.wakeUps = new WakeUps(
                platform, context.events(), keys, quorum, settings.pace().toNanos());
        ConcurrentMap<String, String> lives = new ConcurrentHashMap<>();
        List<QuorumNode> all = new ArrayList<>();
        for (RedisUri server : settings.servers()) {
            all.add(new QuorumNode(all.size(), server, context, settings, lives));
        }
        this.nodes = List.copyOf(all);
        this.introduction = new Introduction(context, keys, this::introduce);
    }

    /**
     * A store on these servers, each given as {@code redis://…} or {@code rediss://…}. Three or more; an odd number, since an
     * even one does without no more servers than the odd one below it.
     *
     * @throws IllegalArgumentException if they are fewer than three, or one is named twice
     */
    public static RedlockServers on(String... servers) {
        return new RedlockServers(new RedlockSettings(
                Arrays.stream(servers)
                        .map(server -> RedisUri.parse(new StoreUri(server)))
                        .toList(),
                RedlockSettings.MAX_LEASE,
                RedlockSettings.NODE_TIMEOUT));
    }

    // --- acquire

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return answer(() -> {
            check(request);
            if (!introduction.hasBegun() && introduction.begins()) {
                introduction.say();
            }
            long deadline = deadline();
            for (int vote = 1; ; vote++) {
                AcquireReply reply = vote(request, deadline, vote < VOTES_FOR_ONE);
                if (reply instanceof AcquireReply.Queued queued && listens(deadline)) {
                    // What was told until now nobody has heard.
                    reply = leavesTime(deadline)
                            ? vote(request, deadline, false)
                            : new AcquireReply.Queued(soon(), queued.notified());
                }
                if (reply != null) {
                    return reply;
                }
                pause(vote);
            }
        });
    }

    /** All that is done for one request is over by then, however many votes it takes. */
    private long deadline() {
        return platform.nanoTime() + context.commandTimeout().toNanos();
    }

    /** Whether there is time for another vote, in which servers answer as they mostly do. */
    private boolean leavesTime(long deadline) {
        return deadline - platform.nanoTime() > 2 * settings.pace().toNanos();
    }

    private void check(AcquireRequest request) {
        if (!request.share().isWhole()) {
            throw StoreFailure.refused(address() + " has no shared locks: no single server knows who shares one", null);
        }
        StoreFailure tooLong = tooLong(request.lease());
        if (tooLong != null) {
            throw tooLong;
        }
    }

    private @Nullable StoreFailure tooLong(Duration lease) {
        if (lease.compareTo(settings.maxLease()) <= 0) {
            return null;
        }
        return StoreFailure.refused(
                "a lease of " + lease.toMillis() + " ms is longer than maxLease, "
                        + settings.maxLease().toMillis() + " ms, of " + address()
                        + ": a server that was restarted counts again after that time, and must not meet an older"
                        + " lease; raise maxLease for all clients, or ask for less",
                null);
    }

    /**
     * Asks all servers once.
     *
     * @param deadline when it is over at the latest
     * @param mayRepeat whether to give no answer if another vote may do better: others were at it at the same time and nobody
     *     got it, or those who had granted it did not agree on the token in time
     */
    private @Nullable AcquireReply vote(AcquireRequest request, long deadline, boolean mayRepeat) {
        String holder = attempts.holder(request.owner(), platform.nanoTime());
        List<String> scriptKeys = scriptKeys(request.name());
        String lease = Long.toString(request.lease().toMillis());
        long clock = clockMicros();
        // Large blocks must not drive the counters away from the clocks.
        int tokens = highestSeen.get() - clock > MOST_LEAD_MICROS ? 1 : request.tokens();
        String proposal = Long.toString(Math.max(highestSeen.get() + tokens, clock));
        String waiter = request.waits() ? request.owner() : "";
        String place = Long.toString(clock);
        NodeCommand command = new NodeCommand(
                Script.QUORUM,
                scriptKeys,
                List.of("acquire", holder, lease, place, proposal, Integer.toString(tokens), waiter));
        Duration timeout = timeout(request.lease());
        Ballot<Answer> ballot = new Ballot<>(platform, quorum, deadline, this::isDecided);
        for (QuorumNode node : nodes) {
            node.ask(
                    ballot,
                    RedisLink.Lane.COMMANDS,
                    command,
                    holder,
                    timeout,
                    reply -> understand(node, request, reply));
        }
        List<@Nullable Vote<Answer>> all = ballot.await();
        AcquireVotes votes = new AcquireVotes(quorum, all);
        AcquireVotes.Verdict verdict = votes.verdict();
        if (verdict == AcquireVotes.Verdict.GRANTED) {
            Answer.Granted agreed = votes.agreed();
            if (agreed == null) {
                agreed = settle(scriptKeys, holder, timeout, deadline, all, votes.highest());
            }
            if (agreed != null) {
                Answer.Granted tokensOfAll = agreed;
                ballot.late((node, answer) -> {
                    if (answer instanceof Answer.Granted late && !late.hasTokensOf(tokensOfAll)) {
                        sendSettle(nodes.get(node), silent(), scriptKeys, holder, timeout, late, tokensOfAll);
                    }
                });
                return new AcquireReply.Granted(agreed.first(), agreed.count());
            }
        }
        ballot.forget();
        retreat(request, holder, place, scriptKeys, all);
        // Who waits comes back by itself if it was contention.
        boolean again = verdict == AcquireVotes.Verdict.GRANTED || (votes.isContended() && !request.waits());
        if (mayRepeat && again && leavesTime(deadline)) {
            return null;
        }
        return switch (verdict) {
            case HELD, SPLIT -> busy(request, votes, verdict);
            default -> throw tooFew(all, votes);
        };
    }

    private boolean isDecided(List<@Nullable Vote<Answer>> soFar) {
        AcquireVotes votes = new AcquireVotes(quorum, soFar);
        AcquireVotes.Verdict verdict = votes.verdict();
        // A failure is to name what became of every server. And the tokens of a repetition may have been told before:
        // then
        // they are those of a majority, which may be slower.
        return verdict != AcquireVotes.Verdict.OPEN
                && verdict != AcquireVotes.Verdict.FAILED
                && !(verdict == AcquireVotes.Verdict.GRANTED && votes.isRepetition() && votes.agreed() == null);
    }

    private Vote<Answer> understand(QuorumNode node, AcquireRequest request, Reply reply) {
        long code = reply.part(0).count();
        return switch ((int) Math.min(code, 9)) {
            case 1, 2 -> {
                long count = reply.part(3).count();
                if (count < 1 || count > Integer.MAX_VALUE) {
                    throw reply.nonsense();
                }
                Answer.Granted granted = new Answer.Granted(reply.part(2).count(), (int) count, code == 2);
                highestSeen.accumulateAndGet(granted.last(), Math::max);
                yield Vote.of(granted);
            }
            case 3 ->
                Vote.of(new Answer.Busy(
                        Math.max(0, reply.part(2).number()), reply.part(3).text()));
            case 4 ->
                Vote.failed(StoreFailure.unavailable(
                        node.address() + " took longer than "
                                + context.commandTimeout().toMillis() + " ms to get to the request",
                        null));
            case 5 ->
                Vote.failed(StoreFailure.refused(
                        node.address() + " has something without an expiry at the key '" + keys.lock(request.name())
                                + "', which no lock of this library ever is; if no other program needs it, delete it",
                        null));
            case 6 ->
                Vote.failed(StoreFailure.refused(
                        node.address() + " has no number below 2^53 at the key '" + keys.fence()
                                + "', so no fencing token can follow",
                        null));
            default -> throw reply.nonsense();
        };
    }

    /** Has the highest tokens written down by a majority of those who have granted; null if there is none. */
    private Answer.@Nullable Granted settle(
            List<String> scriptKeys,
            String holder,
            Duration timeout,
            long deadline,
            List<@Nullable Vote<Answer>> votes,
            Answer.Granted highest) {
        Ballot<Boolean> ballot = new Ballot<>(platform, quorum, deadline, soFar -> isAgreed(soFar, yes -> yes));
        for (int i = 0; i < votes.size(); i++) {
            Vote<Answer> vote = votes.get(i);
            if (vote != null && vote.answer() instanceof Answer.Granted theirs) {
                sendSettle(nodes.get(i), ballot, scriptKeys, holder, timeout, theirs, highest);
            } else {
                ballot.fail(i, StoreFailure.unavailable("not granted", null));
            }
        }
        return count(ballot.await(), yes -> yes) >= quorum.majority() ? highest : null;
    }

    private void sendSettle(
            QuorumNode node,
            Ballot<Boolean> ballot,
            List<String> scriptKeys,
            String holder,
            Duration timeout,
            Answer.Granted theirs,
            Answer.Granted agreed) {
        List<String> args = List.of("settle", holder, theirs.tokens(), agreed.tokens(), Long.toString(agreed.last()));
        NodeCommand command = new NodeCommand(Script.QUORUM, scriptKeys, args);
        node.ask(
                ballot,
                RedisLink.Lane.COMMANDS,
                command,
                null,
                timeout,
                reply -> Vote.of(reply.part(0).count() == 1));
    }

    /** A question whose answers nobody waits for. */
    private Ballot<Boolean> silent() {
        return new Ballot<>(platform, quorum, deadline(), soFar -> false);
    }

    /** Tells all servers who this client is, or that it is gone; who looks needs one of them that was reached. */
    private CompletionStage<?> introduce(String[] command) {
        boolean says = command.length > 2;
        NodeCommand introduction = new NodeCommand(
                Script.QUORUM,
                List.of(command[1]),
                List.of("introduce", says ? command[2] : "", Long.toString(Introduction.LIFE.toMillis())));
        Ballot<Boolean> nobody = silent();
        for (QuorumNode node : nodes) {
            node.ask(
                    nobody,
                    RedisLink.Lane.COMMANDS,
                    introduction,
                    null,
                    settings.nodeTimeout(),
                    reply -> Vote.of(reply.part(0).count() == 1));
        }
        return CompletableFuture.completedFuture(command);
    }

    /** Takes back what a vote may have brought: everywhere but where it has surely brought nothing. */
    private void retreat(
            AcquireRequest request,
            String holder,
            String place,
            List<String> scriptKeys,
            List<@Nullable Vote<Answer>> votes) {
        NodeCommand command = new NodeCommand(
                Script.QUORUM, scriptKeys, List.of("retreat", holder, request.waits() ? request.owner() : "", place));
        boolean tookBack = false;
        for (int i = 0; i < votes.size(); i++) {
            Vote<Answer> vote = votes.get(i);
            if (vote == null || !(vote.answer() instanceof Answer.Busy)) {
                if (!tookBack) {
                    attempts.tookBack(request.owner(), platform.nanoTime());
                    tookBack = true;
                }
                nodes.get(i).giveUp(null, command, holder);
            }
        }
    }

    private AcquireReply busy(AcquireRequest request, AcquireVotes votes, AcquireVotes.Verdict verdict) {
        if (!request.waits()) {
            return new AcquireReply.Busy();
        }
        long left = verdict == AcquireVotes.Verdict.SPLIT ? 0 : votes.leftMillis();
        Duration recheck = soon().plusMillis(Math.min(left, LONGEST_RECHECK_MILLIS));
        return new AcquireReply.Queued(min(recheck, Duration.ofMillis(LONGEST_RECHECK_MILLIS)), votes.willTell());
    }

    /** When to ask again: at random, so that those who were in each other's way do not meet again. */
    private Duration soon() {
        return Duration.ofMillis(1 + platform.random(2 * settings.pace().toMillis()));
    }

    /** Opens the inboxes, if they are not, and waits a little until enough of them are open; whether it had to. */
    private boolean listens(long deadline) {
        if (wakeUps.areHeard()) {
            return false;
        }
        String channel = keys.inbox() + context.clientId();
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).link().listen(channel, wakeUps.from(i));
        }
        wakeUps.await(Math.min(4 * settings.pace().toNanos(), deadline - platform.nanoTime()));
        return true;
    }

    private StoreFailure tooFew(List<@Nullable Vote<Answer>> all, AcquireVotes votes) {
        StringBuilder reasons = new StringBuilder();
        int refused = 0;
        for (int i = 0; i < all.size(); i++) {
            Vote<Answer> vote = all.get(i);
            StoreFailure failure = vote == null ? null : vote.failure();
            reasons.append("; ");
            if (failure != null) {
                refused += failure.kind() == StoreFailure.Kind.REFUSED ? 1 : 0;
                reasons.append(failure.reason());
            } else {
                String known = vote == null
                        ? " was not waited for"
                        : vote.answer() instanceof Answer.Busy ? " says that another has it" : " granted it";
                reasons.append(nodes.get(i).address()).append(known);
            }
        }
        boolean granted = votes.granted() >= quorum.majority();
        String message = address() + ": " + votes.granted() + " of " + quorum.nodes()
                + " servers granted the lock, and " + quorum.majority() + " have to agree"
                + (granted ? " on its token, too, which they did not in time" : "") + reasons;
        return refused >= quorum.blocking()
                ? StoreFailure.refused(message, null)
                : StoreFailure.unavailable(message, null);
    }

    /** How long a server may take: never so long that the lease would be half over. */
    private Duration timeout(Duration lease) {
        return min(settings.nodeTimeout(), lease.dividedBy(2));
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** Waits for a time of its own, longer each time. */
    private void pause(int vote) {
        long step = settings.pace().toNanos() / 5;
        long until = platform.nanoTime() + 1 + platform.random(vote * step);
        boolean interrupted = false;
        for (long left = until - platform.nanoTime(); left > 0; left = until - platform.nanoTime()) {
            platform.park(left);
            interrupted |= platform.interrupted();
        }
        if (interrupted) {
            platform.interrupt(platform.currentThread());
        }
    }

    /** What the clocks of the servers show, as the one in the middle says; our own if none was ever read. */
    private long clockMicros() {
        long now = platform.nanoTime();
        long[] clocks = new long[nodes.size()];
        int known = 0;
        for (QuorumNode node : nodes) {
            if (node.isClockKnown()) {
                clocks[known++] = node.clockMicros(now);
            }
        }
        Arrays.sort(clocks, 0, known);
        return known == 0 ? 1_000 * platform.wallMillis() : clocks[known / 2];
    }

    // --- release

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return answer(() -> reply(name, owner, giveBack(name, owner)));
    }

    /** The holder is another client as a rule, which may have got the lock at a later attempt. */
    @Override
    public CompletionStage<Boolean> expel(String name, String owner) {
        return answer(() -> {
            String holder = new RedlockInspection(nodes, quorum, keys, patience()).holder(name, owner);
            return holder != null && reply(name, owner, giveBack(name, owner, holder)) == ReleaseReply.RELEASED;
        });
    }

    private List<@Nullable Vote<Boolean>> giveBack(String name, String owner) {
        return giveBack(name, owner, attempts.holder(owner, platform.nanoTime()));
    }

    private List<@Nullable Vote<Boolean>> giveBack(String name, String owner, String holder) {
        String turn = Long.toString(4 * settings.pace().toMillis());
        NodeCommand command =
                new NodeCommand(Script.QUORUM, scriptKeys(name), List.of("release", holder, owner, keys.inbox(), turn));
        Ballot<Boolean> ballot = new Ballot<>(platform, quorum, deadline(), soFar -> isAgreed(soFar, held -> held));
        for (QuorumNode node : nodes) {
            node.giveUp(ballot, command, holder);
        }
        return ballot.await();
    }

    private ReleaseReply reply(String name, String owner, List<@Nullable Vote<Boolean>> votes) {
        if (count(votes, held -> held) >= quorum.majority()) {
            attempts.forget(owner);
            return ReleaseReply.RELEASED;
        }
        if (count(votes, held -> !held) >= quorum.blocking()) {
            attempts.forget(owner);
            return ReleaseReply.NOT_OWNER;
        }
        throw StoreFailure.unavailable(
                address() + ": too few servers answered a release of '" + name + "'" + reasons(votes), null);
    }

    // --- renew

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration within) {
        return answer(() -> {
            long until = platform.nanoTime() + within.toNanos();
            List<@Nullable RenewReply> replies = new ArrayList<>(Collections.nCopies(batch.size(), null));
            List<Integer> sent = new ArrayList<>();
            for (int i = 0; i < batch.size(); i++) {
                StoreFailure tooLong = tooLong(batch.get(i).lease());
                if (tooLong == null) {
                    sent.add(i);
                } else {
                    replies.set(i, new RenewReply.Failed(tooLong));
                }
            }
            for (int from = 0; from < sent.size(); from += RENEWED_TOGETHER) {
                List<Integer> some = sent.subList(from, Math.min(from + RENEWED_TOGETHER, sent.size()));
                boolean inTime = platform.nanoTime() - until < 0;
                List<RenewReply> known =
                        inTime ? renewTogether(some.stream().map(batch::get).toList(), within) : List.of();
                for (int i = 0; i < some.size(); i++) {
                    replies.set(some.get(i), inTime ? known.get(i) : notInTime(within));
                }
            }
            return replies.stream().map(Objects::requireNonNull).toList();
        });
    }

    private RenewReply notInTime(Duration within) {
        return new RenewReply.Failed(StoreFailure.unavailable(
                address() + " took longer than " + within.toMillis() + " ms for the leases before it", null));
    }

    private List<RenewReply> renewTogether(List<RenewItem> batch, Duration within) {
        long now = platform.nanoTime();
        List<RenewItem> held = batch.stream()
                .map(item -> new RenewItem(item.name(), attempts.holder(item.owner(), now), item.lease()))
                .toList();
        NodeCommand command = new NodeCommand(Script.RENEW, Renewals.keys(keys, held, false), Renewals.args(held));
        Ballot<int[]> ballot = new Ballot<>(
                platform, quorum, now + within.toNanos(), soFar -> RenewVotes.areDecided(quorum, batch.size(), soFar));
        for (QuorumNode node : nodes) {
            node.ask(
                    ballot,
                    RedisLink.Lane.RENEWALS,
                    command,
                    null,
                    min(settings.nodeTimeout(), within),
                    reply -> Vote.of(Renewals.codes(reply, batch.size())));
        }
        List<@Nullable Vote<int[]>> votes = ballot.await();
        List<RenewReply> replies = new ArrayList<>(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            replies.add(
                    switch (RenewVotes.verdict(quorum, i, votes)) {
                        case RENEWED -> new RenewReply.Renewed();
                        case GONE -> new RenewReply.Gone();
                        case OPEN ->
                            new RenewReply.Failed(StoreFailure.unavailable(
                                    address() + ": too few servers renewed the lease, and " + quorum.majority()
                                            + " have to" + reasons(votes),
                                    null));
                    });
        }
        return replies;
    }

    // --- the rest

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        return answer(() -> new RedlockInspection(nodes, quorum, keys, patience()).locks(pattern));
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        return answer(() -> new RedlockInspection(nodes, quorum, keys, patience()).health(platform));
    }

    /** For those who only look: a server that does not answer is not waited for at length. */
    private Duration patience() {
        return min(context.commandTimeout(), Duration.ofSeconds(1));
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.ACROSS_PROCESSES, Capability.NOTIFICATION, Capability.ORIGINS);
    }

    @Override
    public String address() {
        return settings.address();
    }

    /** Lets what was sent be answered, for a little while: a connection that is cut may lose what is on its way. */
    @Override
    public void close() {
        introduction.close();
        long until = platform.nanoTime() + 2 * settings.nodeTimeout().toNanos();
        boolean interrupted = false;
        while (!nodes.stream().allMatch(QuorumNode::isQuiet) && platform.nanoTime() - until < 0) {
            platform.park(500_000);
            interrupted |= platform.interrupted();
        }
        closed = true;
        nodes.forEach(QuorumNode::close);
        if (interrupted) {
            platform.interrupt(platform.currentThread());
        }
    }

    private List<String> scriptKeys(String name) {
        return List.of(keys.lock(name), keys.queue(name), keys.fence(), keys.turn(name));
    }

    /** Whether a majority says yes, or so many say no that none can. */
    private <T> boolean isAgreed(List<@Nullable Vote<T>> votes, Predicate<T> yes) {
        return count(votes, yes) >= quorum.majority() || count(votes, yes.negate()) >= quorum.blocking();
    }

    private static <T> long count(List<@Nullable Vote<T>> votes, Predicate<T> like) {
        long count = 0;
        for (Vote<T> vote : votes) {
            T answer = vote == null ? null : vote.answer();
            if (answer != null && like.test(answer)) {
                count++;
            }
        }
        return count;
    }

    private static <T> String reasons(List<@Nullable Vote<T>> votes) {
        StringBuilder reasons = new StringBuilder();
        for (Vote<T> vote : votes) {
            StoreFailure failure = vote == null ? null : vote.failure();
            if (failure != null) {
                reasons.append("; ").append(failure.reason());
            }
        }
        return reasons.toString();
    }

    private <T> CompletionStage<T> answer(Supplier<T> question) {
        try {
            if (closed) {
                throw StoreFailure.unavailable(address() + " is closed", null);
            }
            return CompletableFuture.completedFuture(question.get());
        } catch (StoreFailure e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
