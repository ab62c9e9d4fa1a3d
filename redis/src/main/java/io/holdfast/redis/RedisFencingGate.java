package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.FencingGate;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
 * <p>In a cluster a step can touch only what is in one slot. A key that brings a {@code {tag}} has its gate there anyway.
 * For any other a second gate stands beside the key, and both are asked, one after the other, to admit and to write: the first
 * remembers what it always has, and the second decides in one step with the write. So nothing is forgotten, at the price of a
 * round trip.
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
    private final boolean inCluster;

    private RedisFencingGate(Client client, String keyPrefix, boolean inCluster) {
        this.client = client;
        this.inCluster = inCluster;
        this.keys = new Keys(requireNonNull(keyPrefix, "keyPrefix"));
    }

    /**
     * A gate on the application's pool; the keys in which it remembers tokens start with
     * {@code keyPrefix}, those that are written are used as they are.
     */
    public static RedisFencingGate on(JedisPool pool, String keyPrefix) {
        requireNonNull(pool, "pool");
        Client client = (command, args) -> {
            try (Jedis jedis = pool.getResource()) {
                return jedis.sendCommand(command, args);
            }
        };
        return new RedisFencingGate(client, keyPrefix, false);
    }

    /**
     * A gate on the application's client, also one for a cluster; the keys in which it remembers tokens start with
     * {@code keyPrefix}, those that are written are used as they are.
     */
    public static RedisFencingGate on(UnifiedJedis jedis, String keyPrefix) {
        requireNonNull(jedis, "jedis");
        if (!HandedInCluster.isCluster(jedis)) {
            return new RedisFencingGate(jedis::sendCommand, keyPrefix, false);
        }
        // By the first key of the script, or the client would try its luck with any node.
        Client client = (command, args) -> jedis.sendCommand(args[2], command, args);
        return new RedisFencingGate(client, keyPrefix, true);
    }

    @Override
    public void admit(String resource, long token) {
        checkToken(requireNonNull(resource, "resource"), token);
        String gate = keys.gate(resource);
        run(gate, resource, token, null, null);
        String beside = keys.gateBeside(resource);
        if (hasTwo(gate, resource) && Slots.of(beside) == Slots.of(resource)) {
            // A write may have passed the first gate, and stand before the second.
            run(beside, resource, token, null, null);
        }
    }

    /** Whether a write of that key asks a second gate, since the first is in another slot. */
    private boolean hasTwo(String gate, String key) {
        return inCluster && Slots.of(gate) != Slots.of(key);
    }

    /**
     * Sets a key to a value if the token is not stale, in one step. The key is the resource.
     *
     * @throws StaleTokenException if a higher token has written before; nothing is changed then
     * @throws IllegalArgumentException in a cluster, if the key prefix has a {@code {tag}} of its own, and the key another
     */
    public void write(String key, String value, long token) {
        requireNonNull(value, "value");
        checkToken(requireNonNull(key, "key"), token);
        String gate = keys.gate(key);
        if (!hasTwo(gate, key)) {
            run(gate, key, token, key, value);
            return;
        }
        String beside = keys.gateBeside(key);
        if (Slots.of(beside) != Slots.of(key)) {
            String prefix = keys.prefix();
            throw new IllegalArgumentException("key '" + key
                    + "' and its gate cannot be in one slot, since the key prefix '" + prefix
                    + "' has a tag of its own; write " + prefix.substring(prefix.indexOf('{'), prefix.indexOf('}') + 1)
                    + " into the key, or give the gate a prefix without braces");
        }
        run(gate, key, token, null, null);
        run(beside, key, token, key, value);
    }

    private static void checkToken(String resource, long token) {
        if (token < 0) {
            throw new IllegalArgumentException("token " + token + " is negative (resource '" + resource + "')");
        }
    }

    private void run(String gate, String resource, long token, @Nullable String dataKey, @Nullable String value) {
        List<String> scriptKeys = dataKey == null ? List.of(gate) : List.of(gate, dataKey);
        List<String> args = new ArrayList<>(List.of(Long.toString(token), Long.toString(MEMORY.toMillis())));
        if (value != null) {
            args.add(value);
        }
        String newest = Reply.text(evaluate(resource, scriptKeys, args));
        // Compared as text, as the gate does: what is not written as we write it has not been admitted.
        if (!newest.equals(Long.toString(token))) {
            throw new StaleTokenException(resource, token, token(resource, newest));
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

    private Object evaluate(String resource, List<String> scriptKeys, List<String> args) {
        try {
            return evaluate(scriptKeys, args);
        } catch (JedisDataException e) {
            if (inCluster && String.valueOf(e.getMessage()).startsWith("TRYAGAIN")) {
                throw new JedisDataException(
                        "'" + resource + "' was not written, since its slot is being moved to another node; try again ("
                                + e.getMessage() + ")",
                        e);
            }
            throw e;
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
