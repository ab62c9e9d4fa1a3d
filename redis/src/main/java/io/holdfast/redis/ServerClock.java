package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What the server's clock shows, judged from its last answer. The server read its clock after we sent the request, so
 * counting from the send time never puts it too early, and a request that arrives in time is not refused.
 */
final class ServerClock {
    /** Over a longer time too much can happen to a clock. */
    private static final long LONGEST_MICROS = 5_000_000;

    /** A moment on the clocks of this machine. */
    record Moment(long nanos, long wallMillis) {}

    private record Reading(
            long serverMicros, Moment sent, @Nullable String life) {}

    private volatile @Nullable Reading last;

    boolean isKnown() {
        return last != null;
    }

    /**
     * It showed this after that moment.
     *
     * @param life which life of which server it was; null if that is not known
     */
    void read(long serverMicros, Moment sent, @Nullable String life) {
        last = new Reading(serverMicros, sent, life);
    }

    /** Asks a server what its clock shows. */
    CompletionStage<RedisLink.Answer> ask(RedisLink link, Moment sent, Duration timeout) {
        return read(link, sent, link.command(timeout, "TIME"));
    }

    /** Reads the answer of a server that was asked for its TIME at that moment. */
    CompletionStage<RedisLink.Answer> read(RedisLink link, Moment sent, CompletionStage<RedisLink.Answer> asked) {
        return asked.thenApply(answer -> {
            Reply time = new Reply(link, answer);
            long seconds = Math.min(time.part(0).count(), Integer.MAX_VALUE);
            read(seconds * 1_000_000 + time.part(1).count(), sent, answer.life());
            return answer;
        });
    }

    /** The server's time at {@code nanos} of ours. */
    long at(long nanos) {
        Reading reading = last;
        if (reading == null) {
            throw new IllegalStateException("the server's clock was never read");
        }
        return reading.serverMicros() + (nanos - reading.sent().nanos()) / 1_000;
    }

    /**
     * A moment that is not after the server's {@code micros}. The time from the last answer to there is taken from the
     * server's clock, less what that may differ from ours in rate.
     *
     * @return null if there is no telling: another server, too long ago, or a clock that was set
     */
    @Nullable
    Moment notAfter(long micros, @Nullable String life, Moment now) {
        Reading reading = last;
        if (reading == null || life == null || !life.equals(reading.life())) {
            return null;
        }
        long since = micros - reading.serverMicros();
        long slack = Math.abs(since) / 100 + 1_000;
        long sinceHere = Math.max(
                (now.nanos() - reading.sent().nanos()) / 1_000,
                1_000 * (now.wallMillis() - reading.sent().wallMillis()));
        if (Math.abs(since) > LONGEST_MICROS || since > sinceHere + slack) {
            return null;
        }
        long earliest = since - slack;
        // Rounded down to whole milliseconds.
        return new Moment(
                Math.min(now.nanos(), reading.sent().nanos() + 1_000 * earliest),
                Math.min(now.wallMillis(), reading.sent().wallMillis() + Math.floorDiv(earliest, 1_000)));
    }
}
