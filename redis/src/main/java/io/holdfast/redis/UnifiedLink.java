package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.Pool;

/**
 * The application's own {@link UnifiedJedis}, whose connections, time-outs and retries are the application's choice. Each
 * command takes any of them, so the order of commands is not that of one connection; the protocol does not rely on it.
 */
final class UnifiedLink implements RedisLink {
    private final UnifiedJedis jedis;
    private final Platform platform;

    /** The client may have sent again what it was not answered, and only the last answer comes here. */
    private final boolean repeats;

    private @Nullable Inbox inbox;
    private boolean closed;

    UnifiedLink(UnifiedJedis jedis, Platform platform) {
        this.jedis = requireNonNull(jedis, "jedis");
        this.platform = platform;
        this.repeats = ClientPool.mayRepeat(jedis);
    }

    @Override
    public CompletionStage<Answer> run(
            Lane lane, Script script, List<String> keys, List<String> args, Duration timeout) {
        return JedisLink.answer(address(), () -> {
            try {
                return send(Protocol.Command.EVALSHA, JedisLink.arguments(script.sha(), keys, args));
            } catch (JedisNoScriptException e) {
                // What came before this answer may have been an attempt that nobody answered: in doubt, say so.
                Answer answer = send(Protocol.Command.EVAL, JedisLink.arguments(script.text(), keys, args));
                return new Answer(answer.value(), true, false, null);
            }
        });
    }

    @Override
    public CompletionStage<Answer> command(Duration timeout, String... command) {
        return JedisLink.answer(address(), () -> send(() -> command[0].getBytes(UTF_8), JedisLink.rest(command)));
    }

    private Answer send(ProtocolCommand command, byte[]... args) {
        try {
            return new Answer(jedis.sendCommand(command, args), repeats, false, null);
        } catch (JedisException e) {
            if (!isBroken(e)) {
                throw e;
            }
            // The pool may have held a connection that the server has closed.
            return new Answer(jedis.sendCommand(command, args), true, false, null);
        }
    }

    private static boolean isBroken(JedisException error) {
        // A client that makes attempts of its own keeps the reason beside the chain of causes.
        Throwable reason = error.getSuppressed().length > 0 ? error.getSuppressed()[0] : error;
        return reason instanceof JedisConnectionException && !JedisErrors.isTimeout(reason);
    }

    @Override
    public synchronized void listen(String channel, Listener listener) {
        if (inbox == null && !closed) {
            inbox = new Inbox(platform, line(), channel, listener);
            inbox.start();
        }
    }

    /** A connection of the client's pool, if it can be had: that one is never given back in use. */
    private Inbox.Line line() {
        Pool<Connection> pool = ClientPool.of(jedis);
        return pool == null ? new KeptLine() : new InboxLine(PoolSource.ofBare(() -> pool, address(), platform), false);
    }

    @Override
    public String address() {
        return "redis (the application's client)";
    }

    /** The client itself stays open: it is not ours. */
    @Override
    public synchronized void close() {
        closed = true;
        if (inbox != null) {
            inbox.close();
        }
    }

    /**
     * A subscription over a client that keeps its connections to itself. When it ends, the client lends the connection to
     * whoever asks next, so there must be nothing left in it.
     */
    private final class KeptLine implements Inbox.Line {
        private Inbox.@Nullable Subscription subscription;

        @Override
        public void subscribe(Inbox.Subscription to, String channel) {
            synchronized (this) {
                subscription = to;
            }
            try {
                jedis.subscribe(to, channel);
            } finally {
                synchronized (this) {
                    subscription = null;
                }
            }
        }

        /**
         * All that can be done from outside: ask the server to end the subscription. Once only, since Jedis gives the
         * connection back after the first answer, and whoever has it next would take a second one for its own.
         */
        @Override
        public synchronized void cut() {
            Inbox.Subscription present = subscription;
            if (present != null && present.isConfirmed()) {
                subscription = null;
                present.unsubscribe();
            }
        }

        @Override
        public boolean isThrownAway() {
            return false;
        }
    }
}
