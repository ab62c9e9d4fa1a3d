package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Latches on one Redis server. */
final class RedisLatches implements LatchStore {
    private static final String TICKET_MILLIS = "6000";

    private final RedisLink link;
    private final Keys keys;
    private final Duration timeout;
    private final ServerClock serverClock;
    private final Supplier<ServerClock.Moment> clock;
    private final Runnable listen;

    /**
     * Latches.
     *
     * @param clock what time it is here
     * @param listen sees to it that messages for this client are heard
     */
    RedisLatches(
            RedisLink link,
            Keys keys,
            Duration timeout,
            ServerClock serverClock,
            Supplier<ServerClock.Moment> clock,
            Runnable listen) {
        this.link = link;
        this.keys = keys;
        this.timeout = timeout;
        this.serverClock = serverClock;
        this.clock = clock;
        this.listen = listen;
    }

    @Override
    public CompletionStage<Boolean> set(String name, String id, int count, Duration life) {
        return run(name, "set", id, Integer.toString(count), Long.toString(life.toMillis()))
                .thenApply(state -> id.equals(state.made()));
    }

    @Override
    public CompletionStage<State> countDown(String name, String id, String made) {
        return run(name, "down", id, made);
    }

    @Override
    public CompletionStage<State> look(String name, @Nullable String waiter) {
        if (waiter == null) {
            return run(name, "look", "");
        }
        return run(name, "look", waiter, TICKET_MILLIS).thenApply(state -> {
            if (!state.isOpen()) {
                listen.run();
            }
            return state;
        });
    }

    @Override
    public CompletionStage<State> leave(String name, String waiter) {
        return run(name, "leave", waiter);
    }

    @Override
    public CompletionStage<State> clear(String name, String id, String made) {
        return run(name, "clear", id, made);
    }

    private CompletionStage<State> run(String name, String op, String id, String... more) {
        ServerClock.Moment sent = clock.get();
        return serverClock.isKnown()
                ? send(name, op, id, more)
                : serverClock.ask(link, sent, timeout).thenCompose(known -> send(name, op, id, more));
    }

    private CompletionStage<State> send(String name, String op, String id, String... more) {
        ServerClock.Moment sent = clock.get();
        long notAfter = serverClock.at(sent.nanos()) + timeout.toNanos() / 1_000;
        List<String> args = new ArrayList<>();
        Collections.addAll(args, op, id, keys.inbox(), keys.lock(name), Long.toString(notAfter));
        Collections.addAll(args, more);
        List<String> scriptKeys = List.of(keys.latch(name), keys.waiters(name));
        return link.run(RedisLink.Lane.COMMANDS, Script.LATCH, scriptKeys, args, timeout)
                .thenApply(answer -> {
                    Reply reply = new Reply(link, answer);
                    if (reply.part(0).number() == -3) {
                        // If the server's clock is ahead of what we thought, we know it now.
                        serverClock.read(reply.part(1).count(), sent, answer.life());
                    }
                    return state(name, reply);
                });
    }

    private State state(String name, Reply reply) {
        return switch ((int) Math.max(-4, Math.min(reply.part(0).number(), 0))) {
            case 0 ->
                new State(
                        (int) Math.min(reply.part(0).count(), Integer.MAX_VALUE),
                        reply.part(1).text());
            case -1 -> State.NONE;
            case -2 ->
                throw StoreFailure.refused(
                        link.address() + " has something else than a latch at the key '" + keys.latch(name)
                                + "'; if no other program needs it, delete it",
                        null);
            case -3 ->
                throw StoreFailure.unavailable(
                        link.address() + " took longer than " + timeout.toMillis() + " ms to get to the request", null);
            default -> throw reply.nonsense();
        };
    }
}
