package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The connections to one server: for commands, for renewals, and, once they are needed, for the inbox and for what replicas have
 * to confirm.
 */
final class JedisLink implements RedisLink {
    /** The numbers of keys that most scripts have, as they are sent. */
    private static final byte[][] COUNTS =
            IntStream.range(0, 10).mapToObj(Protocol::toByteArray).toArray(byte[][]::new);

    private final ConnectionSource source;
    private final Platform platform;
    private final Wire commands;
    private final Wire renewals;
    private final ConfirmedLane confirmed;
    private @Nullable Inbox inbox;
    private boolean closed;

    JedisLink(ConnectionSource source, Platform platform) {
        this.source = source;
        this.platform = platform;
        this.commands = new Wire(source, platform);
        this.renewals = new Wire(source, platform);
        this.confirmed = new ConfirmedLane(source, platform);
        source.whenMoved(this::renounce);
    }

    /** What is under way may end where it is; what comes next goes over new connections. */
    private void renounce() {
        distrust();
        confirmed.distrust();
        synchronized (this) {
            if (inbox != null) {
                inbox.renounce();
            }
        }
    }

    @Override
    public CompletionStage<Answer> run(
            Lane lane, Script script, List<String> keys, List<String> args, Duration timeout) {
        Request byHash = Request.byHash(script.text(), arguments(script.sha(), keys, args));
        return answer(source.address(), () -> wire(lane).call(timeout, byHash));
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
        Request byHash = Request.byHash(script.text(), arguments(script.sha(), keys, args));
        Call.Sleeper sleeper = new Call.Sleeper(quiet, told);
        LockStore.tell(answer(source.address(), () -> wire(lane).call(timeout, byHash, sleeper)), told);
    }

    private Wire wire(Lane lane) {
        return lane == Lane.RENEWALS ? renewals : commands;
    }

    @Override
    public CompletionStage<Confirmed> runConfirmed(
            Script script, List<String> keys, List<String> args, Duration timeout, int replicas, Duration wait) {
        return answer(source.address(), () -> confirmed.run(script, keys, args, timeout, replicas, wait));
    }

    /** Keys and arguments of one run of a script. */
    record Run(List<String> keys, List<String> args) {}

    /** Renews in several runs, which are sent in one go; the caller waits for each. */
    List<CompletionStage<Answer>> renew(List<Run> runs, Duration timeout) {
        List<Request> requests = runs.stream()
                .map(run -> Request.byHash(Script.RENEW.text(), arguments(Script.RENEW.sha(), run.keys(), run.args())))
                .toList();
        List<CompletionStage<Answer>> answers = new ArrayList<>(runs.size());
        for (Call call : renewals.queue(timeout, requests)) {
            answers.add(answer(source.address(), () -> renewals.answer(call)));
        }
        return answers;
    }

    @Override
    public CompletionStage<Answer> command(Duration timeout, String... command) {
        Request request = Request.of(() -> command[0].getBytes(UTF_8), rest(command));
        return answer(source.address(), () -> commands.call(timeout, request));
    }

    @Override
    public List<CompletionStage<Answer>> commands(Duration timeout, List<String[]> plain) {
        List<Request> requests = new ArrayList<>(plain.size());
        for (String[] command : plain) {
            requests.add(Request.of(() -> command[0].getBytes(UTF_8), rest(command)));
        }
        List<CompletionStage<Answer>> answers = new ArrayList<>(plain.size());
        for (Call call : commands.queue(timeout, requests)) {
            answers.add(answer(source.address(), () -> commands.answer(call)));
        }
        return answers;
    }

    @Override
    public synchronized void listen(String channel, Listener listener) {
        if (inbox == null && !closed) {
            inbox = new Inbox(platform, new InboxLine(source, true), channel, listener);
            inbox.start();
        }
    }

    @Override
    public void distrust() {
        commands.distrust();
        renewals.distrust();
    }

    @Override
    public List<String> weaknesses(Duration timeout) {
        return source.weaknesses(timeout);
    }

    @Override
    public String address() {
        return source.address();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (inbox != null) {
                inbox.close();
            }
        }
        commands.close();
        renewals.close();
        confirmed.close();
        source.close();
    }

    /** The arguments of a plain command. */
    static byte[][] rest(String... command) {
        byte[][] args = new byte[command.length - 1][];
        for (int i = 1; i < command.length; i++) {
            args[i - 1] = command[i].getBytes(UTF_8);
        }
        return args;
    }

    /** The arguments of EVAL and EVALSHA. */
    static byte[][] arguments(byte[] script, List<String> keys, List<String> args) {
        byte[][] all = new byte[2 + keys.size() + args.size()][];
        all[0] = script;
        all[1] = keys.size() < COUNTS.length ? COUNTS[keys.size()] : Protocol.toByteArray(keys.size());
        int next = 2;
        for (String key : keys) {
            all[next++] = key.getBytes(UTF_8);
        }
        for (String arg : args) {
            all[next++] = arg.getBytes(UTF_8);
        }
        return all;
    }

    /** Calls, and turns what is thrown into a failed stage. */
    static <T> CompletionStage<T> answer(String address, Supplier<T> call) {
        try {
            return CompletableFuture.completedFuture(call.get());
        } catch (StoreFailure e) {
            return CompletableFuture.failedFuture(e);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(JedisErrors.failure(address, e));
        } catch (Error e) {
            // Such as a reply so deep that the stack ends in it; whoever repeats what failed must hear of it.
            return CompletableFuture.failedFuture(StoreFailure.unavailable("cannot use " + address + ": " + e, e));
        }
    }

    /** The run id of a server: a new one means that its memory may be lost. Null if it may not be read. */
    static @Nullable String life(Connection connection) {
        try {
            connection.sendCommand(Protocol.Command.INFO, "server");
            return RedisErrors.field(Reply.text(connection.getOne()), "run_id");
        } catch (JedisDataException e) {
            // One that has to log in, and has not, would be told something else by each command that follows.
            if (!JedisErrors.isFinal(e) || String.valueOf(e.getMessage()).startsWith("NOAUTH")) {
                throw e;
            }
            // Not allowed to look: then a restart cannot be told from a mere break, and is taken for one.
            return null;
        }
    }
}
