package io.holdfast.simulation.net;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.SimPlatform;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The transport as the real one behaves: one connection for commands, one for renewals, one for the inbox. Commands that
 * come while others are under way go out together when those are answered, led by the first; a command whose connection
 * breaks is sent once more on a new one; at the leader's time-out the connection is dropped.
 */
public final class SimLink implements RedisLink, Way {
    private static final int LARGEST_BATCH = 64;
    private static final int UNKNOWN_LIFE = -1;
    /** Longer than the real transport leaves anybody asleep, so that it shows if nobody wakes one that was told. */
    private static final long LONGEST_SLEEP_NANOS = 400_000_000L;

    private final SimPlatform platform;
    private final Network network;
    private final Server server;
    private final boolean blocking;
    private final Map<Lane, Wire> wires = new EnumMap<>(Lane.class);
    private @Nullable SimInbox inbox;
    private boolean closed;
    private long refusals;

    /**
     * A transport to one server.
     *
     * @param blocking whether a command blocks the thread that sends it
     */
    public SimLink(SimPlatform platform, Network network, Server server, boolean blocking) {
        this.platform = platform;
        this.network = network;
        this.server = server;
        this.blocking = blocking;
        wires.put(Lane.COMMANDS, new Wire());
        wires.put(Lane.RENEWALS, new Wire());
    }

    @Override
    public CompletionStage<Answer> run(
            Lane lane, Script script, List<String> keys, List<String> args, Duration timeout) {
        return call(
                lane,
                new Call(
                        command("EVALSHA", script.sha(), keys, args),
                        command("EVAL", script.text(), keys, args),
                        timeout));
    }

    @Override
    public void run(
            Lane lane,
            Script script,
            List<String> keys,
            List<String> args,
            Duration timeout,
            Predicate<Object> quiet,
            CompletableFuture<Answer> told) {
        Call call = new Call(
                command("EVALSHA", script.sha(), keys, args), command("EVAL", script.text(), keys, args), timeout);
        call.quiet = quiet;
        call.told = told;
        LockStore.tell(call(lane, call), told);
    }

    @Override
    public CompletionStage<Answer> command(Duration timeout, String... command) {
        return call(Lane.COMMANDS, new Call(List.of(command), null, timeout));
    }

    private CompletionStage<Answer> call(Lane lane, Call call) {
        Wire wire = wire(lane);
        if (closed) {
            return CompletableFuture.failedFuture(unavailable("is closed"));
        }
        wire.submit(call);
        if (blocking) {
            Object me = platform.currentThread();
            call.stage.whenComplete((answer, error) -> {
                if (error == null && call.quiet.test(answer.value())) {
                    call.told.complete(answer);
                } else {
                    platform.unpark(me);
                }
            });
            boolean interrupted = false;
            while (!call.stage.isDone()) {
                interrupted |= platform.interrupted();
                platform.park(LONGEST_SLEEP_NANOS);
            }
            if (interrupted) {
                platform.interrupt(me);
            }
        }
        return call.stage;
    }

    private Wire wire(Lane lane) {
        Wire wire = wires.get(lane);
        if (wire == null) {
            throw new IllegalStateException("no wire for " + lane);
        }
        return wire;
    }

    private static List<String> command(String name, byte[] script, List<String> keys, List<String> args) {
        List<String> all = new ArrayList<>(3 + keys.size() + args.size());
        all.add(name);
        all.add(Commands.text(script));
        all.add(Integer.toString(keys.size()));
        all.addAll(keys);
        all.addAll(args);
        return all;
    }

    @Override
    public void listen(String channel, Listener listener) {
        if (inbox == null && !closed) {
            inbox = new SimInbox(platform, network, server, channel, listener);
            inbox.open();
        }
    }

    @Override
    public String address() {
        return server.host().name();
    }

    @Override
    public void die() {
        wires.values().forEach(Wire::drop);
        if (inbox != null) {
            inbox.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        wires.values().forEach(Wire::close);
        if (inbox != null) {
            inbox.close();
        }
    }

    @Override
    public long refusals() {
        return refusals;
    }

    @Override
    public long inboxSince() {
        return inbox == null ? Long.MAX_VALUE : inbox.confirmedSince();
    }

    private StoreFailure unavailable(String what) {
        return StoreFailure.unavailable(address() + " " + what, null);
    }

    /** A command that somebody waits for. */
    private final class Call {
        List<String> command;

        @Nullable
        List<String> byText;

        final long sentNanos;
        final long deadline;
        final CompletableFuture<Answer> stage = new CompletableFuture<>();
        boolean repeated;
        /** Of which answers its caller need not be woken, and by what it is told instead. */
        Predicate<Object> quiet = value -> false;

        CompletableFuture<Answer> told = new CompletableFuture<>();
        int lifeBefore;
        Platform.@Nullable Timer timer;

        Call(List<String> command, @Nullable List<String> byText, Duration timeout) {
            this.command = command;
            this.byText = byText;
            this.sentNanos = platform.nanoTime();
            this.deadline = sentNanos + timeout.toNanos();
        }

        boolean isInTime() {
            return deadline - platform.nanoTime() > 0;
        }

        /** It was sent and is to be sent again. */
        void repeat(int life) {
            lifeBefore = repeated && lifeBefore != life ? UNKNOWN_LIFE : life;
            repeated = true;
        }

        void answer(Answer answer) {
            end();
            stage.complete(answer);
        }

        void fail(StoreFailure failure) {
            end();
            stage.completeExceptionally(failure);
        }

        private void end() {
            if (timer != null) {
                timer.cancel();
            }
        }
    }

    /** One connection, what is under way on it, and those who wait. */
    private final class Wire implements Connection.Ear {
        private final ArrayDeque<Call> queue = new ArrayDeque<>();

        /** Those without a reply, in the order they were sent. */
        private final ArrayDeque<Call> batch = new ArrayDeque<>();

        /** Those of the batch that are to be sent by their text. */
        private final ArrayDeque<Call> unknown = new ArrayDeque<>();

        /** Who cannot go before the batch is over, or its own time. */
        private @Nullable Call leader;

        private @Nullable Runnable leaderEnds;
        private @Nullable Connection connection;
        private boolean greeted;
        private boolean reused;
        private boolean wantsNew;

        void submit(Call call) {
            queue.add(call);
            call.timer = platform.schedule(call.deadline - platform.nanoTime(), () -> late(call));
            next();
        }

        private void next() {
            if (leader != null || queue.isEmpty()) {
                return;
            }
            Call first = queue.remove();
            leader = first;
            reused = connection != null;
            wantsNew = false;
            batch.add(first);
            if (connection == null) {
                connection = new Connection(network, server, platform.host(), this);
                greeted = false;
                connection.send(List.of("PING"));
            } else {
                sendBatch(connection);
            }
        }

        private void sendBatch(Connection over) {
            while (batch.size() < LARGEST_BATCH && !queue.isEmpty()) {
                batch.add(queue.remove());
            }
            batch.forEach(call -> over.send(call.command));
        }

        private void late(Call call) {
            if (call == leader) {
                cutAtItsDeadline();
            } else if (queue.remove(call)) {
                call.fail(unavailable(call.repeated ? "did not answer in time" : "did not answer others in time"));
            } else {
                // Its reply is read, and thrown away.
                unknown.remove(call);
                call.fail(unavailable("did not answer in time"));
            }
        }

        private void cutAtItsDeadline() {
            Call own = leader;
            Connection over = connection;
            drop();
            batch.remove(own);
            unknown.remove(own);
            for (Call call : List.copyOf(batch)) {
                if (over != null && !call.stage.isDone() && call.isInTime()) {
                    call.repeat(over.life);
                } else {
                    batch.remove(call);
                }
            }
            if (own != null && leaderEnds == null) {
                leaderEnds = () -> own.fail(unavailable("did not answer in time"));
            }
            endBatch();
        }

        /** Whoever is still in the batch is sent again, before all others; then the next one leads. */
        private void endBatch() {
            Iterator<Call> again = batch.descendingIterator();
            while (again.hasNext()) {
                queue.addFirst(again.next());
            }
            batch.clear();
            while (!unknown.isEmpty()) {
                queue.addFirst(unknown.removeLast());
            }
            if (wantsNew) {
                drop();
            }
            Runnable ends = leaderEnds;
            leader = null;
            leaderEnds = null;
            if (ends != null) {
                ends.run();
            }
            next();
        }

        @Override
        public void reply(@Nullable Object value) {
            Connection over = connection;
            if (over == null || batch.isEmpty()) {
                return;
            }
            if (!greeted) {
                greet(over, value);
                return;
            }
            Call call = batch.remove();
            if (call.stage.isDone()) {
                network.hits().hit(20);
            } else if (value instanceof RedisModel.ErrorReply error) {
                refused(call, error.message());
            } else {
                answered(call, over, value);
            }
            if (batch.isEmpty()) {
                endBatch();
            }
        }

        private void greet(Connection over, @Nullable Object value) {
            if (value instanceof RedisModel.ErrorReply error) {
                Call own = batch.remove();
                wantsNew = true;
                leaderEnds = () -> own.fail(RedisErrors.failure(address(), error.message(), null));
                endBatch();
            } else {
                greeted = true;
                sendBatch(over);
            }
        }

        private void answered(Call call, Connection over, @Nullable Object value) {
            if (Commands.kind(call.command).equals("renew") && platform.nanoTime() - call.sentNanos > 50_000_000L) {
                network.hits().hit(5);
            }
            if (Commands.asks(call.command) && Commands.isRefusal(value)) {
                refusals++;
            }
            Answer answer = answer(value, call.repeated, call.repeated && call.lifeBefore == over.life, over.life);
            end(call, () -> call.answer(answer));
        }

        @SuppressWarnings("NullAway") // a nil reply is a null, as with the real transport
        private Answer answer(@Nullable Object value, boolean repeated, boolean same, int life) {
            return new Answer(value, repeated, same, "life " + life);
        }

        private void refused(Call call, String error) {
            List<String> text = call.byText;
            if (error.startsWith("NOSCRIPT") && text != null) {
                network.hits().hit(35);
                call.command = text;
                call.byText = null;
                unknown.add(call);
                return;
            }
            wantsNew |= RedisErrors.answer(error) == RedisErrors.Answer.RECONNECT;
            end(call, () -> call.fail(RedisErrors.failure(address(), error, null)));
        }

        /** The leader reads for the others before it can go; all others go at once. */
        private void end(Call call, Runnable end) {
            if (call == leader) {
                leaderEnds = end;
            } else {
                end.run();
            }
        }

        @Override
        public void broken() {
            Connection over = connection;
            drop();
            List<Call> failed = new ArrayList<>();
            for (Call call : List.copyOf(batch)) {
                if (reused && greeted && over != null && !call.stage.isDone() && call.isInTime()) {
                    call.repeat(over.life);
                } else {
                    batch.remove(call);
                    failed.add(call);
                }
            }
            endBatch();
            failed.forEach(call -> call.fail(unavailable("closed the connection")));
        }

        private void drop() {
            if (connection != null) {
                connection.drop();
                connection = null;
            }
        }

        void close() {
            drop();
            List<Call> left = new ArrayList<>(batch);
            left.addAll(unknown);
            left.addAll(queue);
            batch.clear();
            unknown.clear();
            queue.clear();
            Runnable ends = leaderEnds;
            leader = null;
            leaderEnds = null;
            if (ends != null) {
                ends.run();
            }
            left.forEach(call -> call.fail(unavailable("is closed")));
        }
    }
}
