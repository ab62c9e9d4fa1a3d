package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * The way to a node to which a slot is on its way: each script is announced by ASKING, on a connection of its own. That is
 * slow, and happens only while a slot is moved.
 */
final class AskingLink implements RedisLink {
    private final ConnectionSource source;
    private final Platform platform;
    private final Cluster cluster;

    AskingLink(ConnectionSource source, Platform platform, Cluster cluster) {
        this.source = source;
        this.platform = platform;
        this.cluster = cluster;
    }

    @Override
    public CompletionStage<Answer> run(
            Lane lane, Script script, List<String> keys, List<String> args, Duration timeout) {
        return ask(timeout, connection -> evaluate(connection, script, keys, args));
    }

    private static Object evaluate(Connection connection, Script script, List<String> keys, List<String> args) {
        try {
            return send(connection, Protocol.Command.EVALSHA, JedisLink.arguments(script.sha(), keys, args));
        } catch (JedisNoScriptException e) {
            return send(connection, Protocol.Command.EVAL, JedisLink.arguments(script.text(), keys, args));
        }
    }

    /** The connection is of this request alone, so WAIT tells of what it wrote. */
    @Override
    public CompletionStage<Confirmed> runConfirmed(
            Script script, List<String> keys, List<String> args, Duration timeout, int replicas, Duration wait) {
        Duration whole = timeout.plus(wait);
        return JedisLink.answer(
                address(),
                () -> Question.ask(source, platform, whole, connection -> {
                    String life = JedisLink.life(connection);
                    Object reply = evaluate(connection, script, keys, args);
                    connection.setSoTimeout((int) whole.toMillis());
                    connection.sendCommand(
                            Protocol.Command.WAIT,
                            Protocol.toByteArray(replicas),
                            Protocol.toByteArray(wait.toMillis()));
                    long have = new Reply(this, connection.getOne()).count();
                    return new Confirmed(
                            new Answer(reply, false, false, life), (int) Math.min(have, Integer.MAX_VALUE));
                }));
    }

    private static Object send(Connection connection, Protocol.Command command, byte[]... args) {
        connection.sendCommand(() -> "ASKING".getBytes(US_ASCII));
        connection.getOne();
        connection.sendCommand(command, args);
        return connection.getOne();
    }

    @Override
    public CompletionStage<Answer> command(Duration timeout, String... command) {
        return ask(timeout, connection -> {
            connection.sendCommand(() -> command[0].getBytes(UTF_8), JedisLink.rest(command));
            return connection.getOne();
        });
    }

    private CompletionStage<Answer> ask(Duration timeout, Function<Connection, Object> question) {
        return JedisLink.answer(
                address(),
                () -> Question.ask(source, platform, timeout, connection -> {
                    String life = JedisLink.life(connection);
                    return new Answer(question.apply(connection), false, false, life);
                }));
    }

    @Override
    public void listen(String channel, Listener listener) {
        cluster.listen(channel, listener);
    }

    @Override
    public String address() {
        return source.address();
    }

    @Override
    public void close() {}
}
