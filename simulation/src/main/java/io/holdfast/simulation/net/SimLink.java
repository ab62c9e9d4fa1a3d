package io.holdfast.simulation.net;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.SimPlatform;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The transport as the real one behaves: one connection for commands, one for renewals, one for the inbox; one command at
 * a time on each; a command whose connection breaks is sent once more on a new one; after a time-out the connection is
 * dropped.
 */
public final class SimLink implements RedisLink {
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
            call.stage.whenComplete((answer, error) -> platform.unpark(me));
            boolean interrupted = false;
            while (!call.stage.isDone()) {
                interrupted |= platform.interrupted();
                platform.park(Long.MAX_VALUE);
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

    /** The process is gone: nobody listens any more. */
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

    /** How often a server has said that another holds the lock. */
    public long refusals() {
        return refusals;
    }

    /** Since when the inbox has been heard of without a break; the end of time if it is not open. */
    public long inboxSince() {
        return inbox == null ? Long.MAX_VALUE : inbox.confirmedSince();
    }

    private StoreFailure unavailable(String what) {
        return StoreFailure.unavailable(address() + " " + what, null);
    }

    /** A command that somebody waits for. */
    private final class Call {
        final List<String> command;
        final @Nullable List<String> byText;
        final long sentNanos;
        final long deadline;
        final CompletableFuture<Answer> stage = new CompletableFuture<>();
        boolean repeated;
        int lifeBefore;
        Platform.@Nullable Timer timer;

        Call(List<String> command, @Nullable List<String> byText, Duration timeout) {
            this.command = command;
            this.byText = byText;
            this.sentNanos = platform.nanoTime();
            this.deadline = sentNanos + timeout.toNanos();
        }

        void end() {
            if (timer != null) {
                timer.cancel();
            }
        }
    }

    /** One connection, and those who wait for their turn on it. */
    private final class Wire implements Connection.Ear {
        private final ArrayDeque<Call> turn = new ArrayDeque<>();
        private @Nullable Call present;
        private @Nullable Connection connection;
        private boolean greeted;
        private boolean reused;

        void submit(Call call) {
            turn.add(call);
            call.timer = platform.schedule(call.deadline - platform.nanoTime(), () -> late(call));
            next();
        }

        private void next() {
            if (present == null && !turn.isEmpty()) {
                present = turn.poll();
                reused = connection != null;
                sendPresent();
            }
        }

        private void sendPresent() {
            Call call = present;
            if (call == null) {
                return;
            }
            if (connection == null) {
                connection = new Connection(network, server, platform.host(), this);
                greeted = false;
                connection.send(List.of("PING"));
            } else {
                connection.send(call.command);
            }
        }

        private void late(Call call) {
            if (turn.remove(call)) {
                call.stage.completeExceptionally(unavailable("did not answer others in time"));
            } else if (call == present) {
                drop();
                present = null;
                call.stage.completeExceptionally(unavailable("did not answer in time"));
                next();
            }
        }

        @Override
        public void reply(@Nullable Object value) {
            Call call = present;
            Connection over = connection;
            if (call == null || over == null) {
                return;
            }
            if (value instanceof RedisModel.ErrorReply error) {
                refused(call, over, error.message());
            } else if (!greeted) {
                greeted = true;
                over.send(call.command);
            } else {
                boolean same = call.repeated && call.lifeBefore == over.life;
                if (Commands.kind(call.command).equals("renew") && platform.nanoTime() - call.sentNanos > 50_000_000L) {
                    network.hits().hit(5);
                }
                if (Commands.kind(call.command).equals("acquire")
                        && value instanceof List<?> reply
                        && reply.get(0) instanceof Long code
                        && (code == 2 || code == 3)) {
                    refusals++;
                }
                finish(call);
                call.stage.complete(answer(value, call.repeated, same));
                next();
            }
        }

        @SuppressWarnings("NullAway") // a nil reply is a null, as with the real transport
        private Answer answer(@Nullable Object value, boolean repeated, boolean same) {
            return new Answer(value, repeated, same);
        }

        private void refused(Call call, Connection over, String error) {
            List<String> text = call.byText;
            if (error.startsWith("NOSCRIPT") && text != null) {
                network.hits().hit(35);
                over.send(text);
                return;
            }
            if (RedisErrors.answer(error) == RedisErrors.Answer.RECONNECT || !greeted) {
                drop();
            }
            finish(call);
            call.stage.completeExceptionally(RedisErrors.failure(address(), error, null));
            next();
        }

        @Override
        public void broken() {
            Connection over = connection;
            boolean sent = greeted;
            drop();
            Call call = present;
            if (call == null) {
                return;
            }
            if (reused && over != null && call.deadline - platform.nanoTime() > 0) {
                reused = false;
                call.repeated |= sent;
                call.lifeBefore = over.life;
                sendPresent();
                return;
            }
            finish(call);
            call.stage.completeExceptionally(unavailable("closed the connection"));
            next();
        }

        private void finish(Call call) {
            call.end();
            present = null;
        }

        private void drop() {
            if (connection != null) {
                connection.drop();
                connection = null;
            }
        }

        void close() {
            drop();
            List<Call> left = new ArrayList<>(turn);
            turn.clear();
            if (present != null) {
                left.add(0, present);
                present = null;
            }
            for (Call call : left) {
                call.end();
                call.stage.completeExceptionally(unavailable("is closed"));
            }
        }
    }
}
