package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A command that somebody waits for. It waits to be sent, is sent, and is over once: with an answer, with a failure, or
 * because its caller has given up. One whose connection breaks may wait to be sent again.
 *
 * <p>Who leads on the wire moves it on; its caller only gives up. All else is written by the leader before such a move,
 * and read by the caller after it.
 */
final class Call {
    private enum Stage {
        QUEUED,
        SENT,
        OVER
    }

    /**
     * A caller that need not be woken for every answer.
     *
     * @param quiet which values leave it nothing to do but to wait
     * @param told by whom it is told of such a one
     */
    record Sleeper(Predicate<Object> quiet, CompletableFuture<RedisLink.Answer> told) {}

    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.QUEUED);
    private final Object caller;
    private final Duration timeout;
    private final long deadline;
    private final @Nullable Sleeper sleeper;
    private Request request;
    private boolean repeated;
    private boolean alone;
    private boolean quiet;
    private volatile boolean restless;
    private int together = 1;
    private @Nullable String lifeBefore;
    private RedisLink.@Nullable Answer answer;
    private @Nullable RuntimeException failure;

    Call(Request request, Object caller, Duration timeout, long now, @Nullable Sleeper sleeper) {
        this.request = request;
        this.caller = caller;
        this.timeout = timeout;
        this.deadline = now + timeout.toNanos();
        this.sleeper = sleeper;
    }

    Request request() {
        return request;
    }

    /** Who waits for it. */
    Object caller() {
        return caller;
    }

    long deadline() {
        return deadline;
    }

    boolean isQueued() {
        return stage.get() == Stage.QUEUED;
    }

    boolean isSent() {
        return stage.get() == Stage.SENT;
    }

    boolean isOver() {
        return stage.get() == Stage.OVER;
    }

    /** What to say if it was sent and no answer came in time. */
    StoreFailure unanswered(String address, @Nullable Throwable cause) {
        return StoreFailure.unavailable(address + " did not answer within " + timeout.toMillis() + " ms", cause);
    }

    // --- the leader's

    /** It is about to be sent; false if its caller has given up. */
    boolean send() {
        return stage.compareAndSet(Stage.QUEUED, Stage.SENT);
    }

    /** Its connection broke, and it is to be sent once more. */
    void sendAgain(@Nullable String life) {
        if (isSent()) {
            // An answer can be trusted only if all attempts went to the same life of the same server.
            lifeBefore = repeated && (lifeBefore == null || !lifeBefore.equals(life)) ? null : life;
            repeated = true;
            stage.compareAndSet(Stage.SENT, Stage.QUEUED);
        }
    }

    /** The server does not know the script: it is to be sent by its text. False if there is nothing else to send. */
    boolean sendByText() {
        Request byText = request.byText();
        if (byText == null) {
            return false;
        }
        request = byText;
        stage.compareAndSet(Stage.SENT, Stage.QUEUED);
        return true;
    }

    /** The server did not do it together with others: it is to be sent by itself. */
    void sendAlone() {
        alone = true;
        stage.compareAndSet(Stage.SENT, Stage.QUEUED);
    }

    /** Whether one command, and one reply, may do for this and another. */
    boolean joins(Call other) {
        return !alone && !other.alone && request.joins(other.request);
    }

    /** With how many others, sent directly behind it, it shares a command. */
    void sharesWith(int others) {
        together = 1 + others;
    }

    /** For how many its reply is. */
    int together() {
        return together;
    }

    void answer(Object value, @Nullable String life) {
        answer = new RedisLink.Answer(value, repeated, life != null && life.equals(lifeBefore), life);
        boolean inTime = stage.compareAndSet(Stage.SENT, Stage.OVER);
        quiet = inTime && sleeper != null && sleeper.quiet().test(value);
    }

    /** Whether it is over with an answer of which its caller need not be woken: it is to be told instead. */
    boolean isQuiet() {
        return quiet && !restless;
    }

    /** Tells a caller that sleeps on. */
    void tell() {
        if (sleeper != null && answer != null) {
            sleeper.told().complete(answer);
        }
    }

    /** It has failed, sent or not. */
    void fail(RuntimeException reason) {
        failure = reason;
        if (!stage.compareAndSet(Stage.SENT, Stage.OVER)) {
            stage.compareAndSet(Stage.QUEUED, Stage.OVER);
        }
    }

    // --- the caller's

    /** The caller has been interrupted, and wants to be woken whatever the answer is. */
    void isRestless() {
        restless = true;
    }

    /** The caller's time is over, and what comes now is thrown away. Null if it has come to an end before. */
    @Nullable
    StoreFailure giveUp(String address) {
        Stage before = stage.getAndSet(Stage.OVER);
        if (before == Stage.OVER) {
            return null;
        }
        return before == Stage.SENT || repeated
                ? unanswered(address, null)
                : StoreFailure.unavailable(
                        address + " did not answer others for " + timeout.toMillis()
                                + " ms, so this command was not sent",
                        null);
    }

    /** What came of it. */
    RedisLink.Answer result() {
        if (failure != null) {
            throw failure;
        }
        if (answer == null) {
            throw new IllegalStateException("the command is not over");
        }
        return answer;
    }
}
