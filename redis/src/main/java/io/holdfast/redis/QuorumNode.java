package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/** One server of a quorum: its connections, its clock, and what was sent to it and never answered. */
final class QuorumNode implements NodeLine.Server {
    private static final Duration OPENING = Duration.ofMillis(500);
    private static final long TOO_LATE = 4;

    private final int index;
    private final Platform platform;
    private final Duration timeout;
    private final RedlockSettings settings;
    private final Keys keys;
    private final JedisLink link;
    private final NodeLine commands;
    private final NodeLine renewals;
    private final ServerClock clock = new ServerClock();
    private final NodeLives ownLives = new NodeLives();
    private final Unanswered unanswered;
    private final Owed owed;
    private final ConcurrentMap<String, String> lives;

    /** @param lives the servers that have been met so far, by their run ids: none may vote twice */
    QuorumNode(
            int index,
            RedisUri uri,
            StoreContext context,
            RedlockSettings settings,
            ConcurrentMap<String, String> lives) {
        this.index = index;
        this.platform = context.platform();
        this.timeout = context.commandTimeout();
        this.settings = settings;
        this.keys = new Keys(context.keyPrefix());
        this.lives = lives;
        ConnectionSource source = ConnectionSource.to(uri, platform);
        Duration opening = timeout.compareTo(OPENING) < 0 ? timeout : OPENING;
        this.link = new JedisLink(source, platform);
        this.commands = new NodeLine(source, platform, this, opening, timeout);
        this.renewals = new NodeLine(source, platform, this, opening, timeout);
        this.unanswered = new Unanswered(platform);
        this.owed = new Owed(
                platform, settings.maxLease(), (holder, command) -> commands.send(new GivingUp(null, command, holder)));
    }

    /** The blocking way to it, for its inbox and for those who only look. */
    JedisLink link() {
        return link;
    }

    @Override
    public String address() {
        return link.address();
    }

    boolean isClockKnown() {
        return clock.isKnown();
    }

    @Override
    public long clockMicros(long nanos) {
        return clock.at(nanos);
    }

    @Override
    public void parted(String life, long nanos) {
        ownLives.answered(life, nanos);
    }

    @Override
    public NodeSession greet(Connection wire) {
        NodeSession session = session((command, argument) -> {
            wire.sendCommand(Protocol.Command.valueOf(command), argument);
            return Reply.text(wire.getOne());
        });
        String other = lives.putIfAbsent(session.life(), address());
        if (other != null && !other.equals(address())) {
            throw StoreFailure.refused(
                    address() + " is the same server as " + other + ", and would vote twice; name each server once",
                    null);
        }
        ServerClock.Moment sent = new ServerClock.Moment(platform.nanoTime(), platform.wallMillis());
        wire.sendCommand(Protocol.Command.TIME);
        Reply time = new Reply(link, wire.getOne());
        clock.read(1_000_000 * time.part(0).count() + time.part(1).count(), sent, session.life());
        return session;
    }

    private NodeSession session(BinaryOperator<String> ask) {
        NodeSession session = NodeSession.read(ask, settings.maxLease(), keys.vouched(), ownLives, platform::nanoTime);
        if (session == null) {
            throw StoreFailure.refused(
                    address() + " does not say how long it has been up, so there is no telling whether it may count",
                    null);
        }
        return session;
    }

    /** Why this server does not count at present; null if it does. Asks it, for those who only look. */
    @Nullable
    String tooYoung(Duration within) {
        NodeSession session = session((command, argument) -> {
            try {
                return Reply.text(link.command(within, command, argument)
                        .toCompletableFuture()
                        .join()
                        .value());
            } catch (CompletionException e) {
                throw StoreFailure.of(e);
            }
        });
        return session.tooYoung(platform.nanoTime());
    }

    /**
     * Asks this server as one of all, whose answer counts only if it has been up for long enough.
     *
     * @param doubt the holder that may get the lock by it even if nobody hears the answer; null if none may. Such a command
     *     has one more argument, the time after which the server refuses it
     * @param within how long it may take once it is sent
     * @param read makes a vote of the reply, and throws if it makes no sense
     */
    <T> void ask(
            Ballot<T> ballot,
            RedisLink.Lane lane,
            NodeCommand command,
            @Nullable String doubt,
            Duration within,
            Function<Reply, Vote<T>> read) {
        NodeLine line = lane == RedisLink.Lane.RENEWALS ? renewals : commands;
        Question<T> question = new Question<>(ballot, line, command, doubt, within, read);
        ballot.asks(index, question);
        line.send(question);
        if (doubt != null) {
            // What is taken will be renewed, and then there is less time.
            renewals.open();
        }
    }

    /**
     * Gives up what a holder may have here, however long that takes, and says so again if one of its acquires may still be
     * on its way, or if the server could not be told.
     *
     * @param ballot who hears of it; null if nobody does
     */
    void giveUp(@Nullable Ballot<Boolean> ballot, NodeCommand command, String holder) {
        GivingUp call = new GivingUp(ballot, command, holder);
        if (ballot != null) {
            ballot.asks(index, call);
        }
        commands.send(call);
    }

    boolean isQuiet() {
        return commands.isQuiet() && renewals.isQuiet();
    }

    void close() {
        owed.close();
        commands.close();
        renewals.close();
        link.close();
    }

    private StoreFailure unansweredFor(Duration time) {
        return StoreFailure.unavailable(address() + " did not answer within " + time.toMillis() + " ms", null);
    }

    private void readClock(Reply reply, NodeCall call, String life) {
        long micros = reply.part(1).count();
        if (micros > 0) {
            clock.read(micros, call.sentAt(), life);
        }
    }

    private long notAfter(long clockMicros) {
        return clockMicros + timeout.toNanos() / 1_000;
    }

    private final class Question<T> extends NodeCall {
        private final Ballot<T> ballot;
        private final NodeLine line;
        private final @Nullable String doubt;
        private final Duration within;
        private final Function<Reply, Vote<T>> read;
        private boolean late;

        Question(
                Ballot<T> ballot,
                NodeLine line,
                NodeCommand command,
                @Nullable String doubt,
                Duration within,
                Function<Reply, Vote<T>> read) {
            super(command);
            this.ballot = ballot;
            this.line = line;
            this.doubt = doubt;
            this.within = within;
            this.read = read;
        }

        @Override
        void answered(@Nullable Object reply, String life) {
            ownLives.answered(life, sentAt().nanos());
            if (reply instanceof RespReader.ServerError error) {
                if (error.isUnknownScript()) {
                    line.doesNotKnow(this);
                    // Not behind a retreat that has been sent since: that would come first, and undo nothing.
                    ballot.whileOpen(() -> line.send(this));
                } else {
                    ballot.fail(index, RedisErrors.failure(address(), error.message(), null));
                }
                return;
            }
            try {
                Reply parts = new Reply(link, reply);
                if (script() == Script.QUORUM) {
                    readClock(parts, this, life);
                }
                if (doubt != null && !late && parts.part(0).count() == TOO_LATE) {
                    // Its clock is ahead of what we thought, and we know it now.
                    late = true;
                    ballot.whileOpen(() -> line.send(this));
                    return;
                }
                Vote<T> vote = read.apply(parts);
                if (vote.answer() != null) {
                    ballot.answer(index, vote.answer());
                } else if (vote.failure() != null) {
                    ballot.fail(index, vote.failure());
                }
            } catch (StoreFailure nonsense) {
                line.distrust();
                failed(nonsense);
            }
        }

        @Override
        void failed(StoreFailure failure) {
            if (doubt != null && isSent()) {
                unanswered.add(doubt, notAfter(serverMicros()), timeout);
            }
            ballot.fail(index, failure);
        }

        @Override
        @Nullable
        String last(long clockMicros) {
            return doubt == null ? null : Long.toString(notAfter(clockMicros));
        }

        @Override
        StoreFailure late() {
            return isSent()
                    ? unansweredFor(within)
                    : StoreFailure.unavailable(
                            address() + " could not be connected to in time, so nothing was sent", null);
        }

        @Override
        boolean votes() {
            return true;
        }

        /** A lock that others have granted is asked for here also, so that it does not hang on those few alone. */
        @Override
        boolean isOver() {
            return doubt == null ? ballot.isOver() : ballot.isForgotten();
        }

        @Override
        boolean isAwaited() {
            return ballot.isAwaited();
        }

        @Override
        void read() {
            line.read(this);
        }

        @Override
        boolean again() {
            return false;
        }

        @Override
        long timeoutNanos() {
            return within.toNanos();
        }
    }

    private final class GivingUp extends NodeCall {
        private final @Nullable Ballot<Boolean> ballot;
        private final NodeCommand command;
        private final String holder;
        private boolean repeated;
        private @Nullable String lifeBefore;

        GivingUp(@Nullable Ballot<Boolean> ballot, NodeCommand command, String holder) {
            super(command);
            this.ballot = ballot;
            this.command = command;
            this.holder = holder;
        }

        @Override
        void answered(@Nullable Object reply, String life) {
            ownLives.answered(life, sentAt().nanos());
            if (reply instanceof RespReader.ServerError error) {
                if (error.isUnknownScript()) {
                    commands.doesNotKnow(this);
                    commands.send(this);
                } else {
                    failed(RedisErrors.failure(address(), error.message(), null));
                }
                return;
            }
            try {
                Reply parts = new Reply(link, reply);
                readClock(parts, this, life);
                owed.heard(holder);
                // One that is repeated and finds nothing has found its own work, unless the server has lost its memory.
                boolean before = repeated && life.equals(lifeBefore);
                if (ballot != null) {
                    ballot.answer(index, parts.part(0).count() == 1 || before);
                }
                if (unanswered.isInDoubt(holder)) {
                    // Without a time, the doubt has come up since; the next answer tells it.
                    long micros = parts.part(1).count();
                    long left = micros == 0 ? 1_000 : unanswered.microsLeft(holder, micros);
                    if (left > 0) {
                        sayAgain(1_000 * left);
                    }
                }
            } catch (StoreFailure nonsense) {
                commands.distrust();
                failed(nonsense);
            }
        }

        @Override
        void failed(StoreFailure failure) {
            if (ballot != null) {
                ballot.fail(index, failure);
            }
            owed.add(holder, command);
        }

        private void sayAgain(long delayNanos) {
            platform.schedule(
                    delayNanos,
                    () -> platform.callbacks().execute(() -> commands.send(new GivingUp(null, command, holder))));
        }

        @Override
        @Nullable
        String last(long clockMicros) {
            return unanswered.isInDoubt(holder) ? "time" : null;
        }

        @Override
        StoreFailure late() {
            return unansweredFor(settings.nodeTimeout());
        }

        @Override
        boolean votes() {
            return false;
        }

        @Override
        boolean isOver() {
            return false;
        }

        @Override
        boolean isAwaited() {
            return ballot != null && ballot.isAwaited();
        }

        @Override
        void read() {
            commands.read(this);
        }

        @Override
        boolean again() {
            boolean first = !repeated;
            repeated = true;
            lifeBefore = sentTo();
            return first;
        }

        @Override
        long timeoutNanos() {
            return settings.nodeTimeout().toNanos();
        }
    }
}
