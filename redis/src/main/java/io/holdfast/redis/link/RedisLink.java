package io.holdfast.redis.link;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The way to one server: the seam between the protocol and the client library. Failures are {@code StoreFailure}s. A
 * command may block the caller up to its time-out.
 */
public interface RedisLink extends AutoCloseable {

    /** Which connection a command takes. Renewals have one of their own, so that nothing stands before them. */
    enum Lane {
        COMMANDS,
        RENEWALS
    }

    /**
     * What came back.
     *
     * @param value the reply: Long, byte[], String, List or null
     * @param repeated an earlier attempt of this very command was sent and never answered: it may have been carried out,
     *     and may still be
     * @param sameServer the server that answered is known to be the one, in the same life, to which that attempt was sent
     * @param life which life of which server it came from; null if that is not known
     */
    record Answer(
            Object value,
            boolean repeated,
            boolean sameServer,
            @Nullable String life) {}

    /** Runs a script, by its hash, and by its text if the server does not know it. */
    CompletionStage<Answer> run(Lane lane, Script script, List<String> keys, List<String> args, Duration timeout);

    /**
     * The same, for a caller that a quiet answer leaves nothing to do but to wait. Such an answer may be handed in by the thread
     * of another caller that has read it, and this one is left asleep in here: it then returns as soon as its thread is
     * unparked, or after a moment.
     *
     * @param quiet which values those are
     * @param told completed with what came of it, whatever that is
     */
    default void run(
            Lane lane,
            Script script,
            List<String> keys,
            List<String> args,
            Duration timeout,
            Predicate<Object> quiet,
            CompletableFuture<Answer> told) {
        LockStore.tell(run(lane, script, keys, args, timeout), told);
    }

    /**
     * What came back, and how many replicas have all that was written on that connection until then.
     *
     * @param replicas how many said so in time
     */
    record Confirmed(Answer answer, int replicas) {}

    /**
     * Runs a script, and asks right behind it, on the same connection, how many replicas have what it wrote. Nothing else is
     * sent over that connection.
     *
     * @param replicas how many to wait for
     * @param wait how long to wait for them
     */
    default CompletionStage<Confirmed> runConfirmed(
            Script script, List<String> keys, List<String> args, Duration timeout, int replicas, Duration wait) {
        return CompletableFuture.failedFuture(StoreFailure.refused(
                address() + " is used over connections that are not the library's own, so it cannot tell which replicas"
                        + " have a lock; hand in a pool or an address for minReplicas",
                null));
    }

    /** Runs a plain command on the lane for commands. */
    CompletionStage<Answer> command(Duration timeout, String... command);

    /**
     * Runs plain commands on the lane for commands, in that order; in one go, if it can. Each succeeds or fails alone.
     *
     * @return the answers, in the order of the commands
     */
    default List<CompletionStage<Answer>> commands(Duration timeout, List<String[]> commands) {
        return commands.stream().map(command -> command(timeout, command)).toList();
    }

    /** Subscribes to a channel once and for all, and again after every break; does nothing if it has done so before. */
    void listen(String channel, Listener listener);

    /** A reply made no sense: what comes next over the same connections is not to be trusted either. */
    default void distrust() {}

    /** What about the way to the server weakens the locks, each with its consequence and its remedy. */
    default List<String> weaknesses(Duration timeout) {
        return List.of();
    }

    /** Where the server is, without secrets. */
    String address();

    @Override
    void close();

    /** Hears what comes in on the channel. */
    interface Listener {
        /** The subscription is confirmed; messages before that may have been missed. */
        void subscribed();

        /**
         * A message has come.
         *
         * @param life which life of which server it came from; null if that is not known
         */
        void message(String text, @Nullable String life);
    }
}
