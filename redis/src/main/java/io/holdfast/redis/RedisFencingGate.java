package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.FencingGate;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * A gate whose memory is in Redis. {@link #admit} alone guards nothing that is written elsewhere a moment later; for data
 * in Redis itself, {@link #write} checks and writes in one step.
 *
 * <p>It remembers a resource for thirty days after its last write, so a holder that slept for longer is not refused. Its
 * failures are those of the Jedis client it was given. Thread safe.
 */
public final class RedisFencingGate implements FencingGate {
    private static final Duration MEMORY = Duration.ofDays(30);

    /** Sends one command. */
    private interface Client {
        Object send(ProtocolCommand command, byte[]... args);
    }

    private final Client client;
    private final Keys keys;

    private RedisFencingGate(Client client, String keyPrefix) {
        this.client = client;
        this.keys = new Keys(requireNonNull(keyPrefix, "keyPrefix"));
    }

    /** A gate on the application's pool; {@code keyPrefix} is what its keys start with. */
    public static RedisFencingGate on(JedisPool pool, String keyPrefix) {
        requireNonNull(pool, "pool");
        Client client = (command, args) -> {
            try (Jedis jedis = pool.getResource()) {
                return jedis.sendCommand(command, args);
            }
        };
        return new RedisFencingGate(client, keyPrefix);
    }

    /** A gate on the application's client; {@code keyPrefix} is what its keys start with. */
    public static RedisFencingGate on(UnifiedJedis jedis, String keyPrefix) {
        requireNonNull(jedis, "jedis");
        return new RedisFencingGate(jedis::sendCommand, keyPrefix);
    }

    @Override
    public void admit(String resource, long token) {
        run(resource, token, List.of(), List.of());
    }

    /**
     * Sets a key to a value if the token is not stale, in one step. The key is the resource.
     *
     * @throws StaleTokenException if a higher token has written before; nothing is changed then
     */
    public void write(String key, String value, long token) {
        run(key, token, List.of(requireNonNull(key, "key")), List.of(requireNonNull(value, "value")));
    }

    private void run(String resource, long token, List<String> dataKeys, List<String> values) {
        if (token < 0) {
            throw new IllegalArgumentException("token " + token + " is negative (resource '" + resource + "')");
        }
        List<String> scriptKeys = new ArrayList<>(List.of(keys.gate(requireNonNull(resource, "resource"))));
        scriptKeys.addAll(dataKeys);
        List<String> args = new ArrayList<>(List.of(Long.toString(token), Long.toString(MEMORY.toMillis())));
        args.addAll(values);
        long newest = token(resource, Reply.text(evaluate(scriptKeys, args)));
        if (newest != token) {
            throw new StaleTokenException(resource, token, newest);
        }
    }

    private static long token(String resource, String reply) {
        try {
            return Long.parseLong(reply);
        } catch (NumberFormatException e) {
            throw new JedisDataException(
                    "the gate of '" + resource + "' answered '" + reply + "', which is no token", e);
        }
    }

    private Object evaluate(List<String> scriptKeys, List<String> args) {
        try {
            return client.send(Protocol.Command.EVALSHA, JedisLink.arguments(Script.GATE.sha(), scriptKeys, args));
        } catch (JedisNoScriptException e) {
            return client.send(Protocol.Command.EVAL, JedisLink.arguments(Script.GATE.text(), scriptKeys, args));
        }
    }
}
