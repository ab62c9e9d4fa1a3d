package io.holdfast.redis;

import io.holdfast.redis.link.Script;
import io.holdfast.spi.StoreFailure;
import org.jspecify.annotations.Nullable;

/** A script that one server is to run, and who hears of it. Sent at most once on each connection. */
abstract class NodeCall {
    private final NodeCommand command;

    // The line's.
    private int length;
    private volatile boolean sent;
    private boolean outstanding;
    private volatile long limitNanos;
    private ServerClock.@Nullable Moment sentAt;
    private long serverMicros;
    private @Nullable String sentTo;

    NodeCall(NodeCommand command) {
        this.command = command;
    }

    /** An argument for this server alone, by what its clock shows, in microseconds; null if there is none. */
    abstract @Nullable String last(long clockMicros);

    /**
     * The server has answered.
     *
     * @param life which life of it
     */
    abstract void answered(@Nullable Object reply, String life);

    /** It was not answered, and will not be. */
    abstract void failed(StoreFailure failure);

    /** What to say if the time is over. */
    abstract StoreFailure late();

    /** Whether an answer of a server counts only if that is up for long enough. */
    abstract boolean votes();

    /** Whether nobody wants it sent any more. */
    abstract boolean isOver();

    /** Whether somebody waits for its answer just now. */
    abstract boolean isAwaited();

    /** Reads its answer on the calling thread, which waits for it, if nobody else reads from that server; not for long. */
    abstract void read();

    /** Whether it is to be sent once more if its connection breaks; asked once. */
    abstract boolean again();

    /** How long an answer may take once it is sent. */
    abstract long timeoutNanos();

    // --- for the line

    boolean isSent() {
        return sent;
    }

    /** When it was sent last. */
    ServerClock.Moment sentAt() {
        if (sentAt == null) {
            throw new IllegalStateException("it was not sent");
        }
        return sentAt;
    }

    /** Which life of the server it was sent to last. */
    @Nullable
    String sentTo() {
        return sentTo;
    }

    /** What the server's clock was thought to show then. */
    long serverMicros() {
        return serverMicros;
    }

    /** Whether its reply is to come over the connection it was sent on last. */
    boolean isOutstanding() {
        return outstanding;
    }

    /** It came, or will not. */
    void isIn() {
        outstanding = false;
    }

    int length() {
        return length;
    }

    /** When its time is over, as far as that is known by now. */
    long limitNanos() {
        return limitNanos;
    }

    void waits(long limit) {
        sent = false;
        outstanding = false;
        limitNanos = limit;
    }

    /** It is about to be written: its time counts from here. */
    byte[] send(NodeSession session, ServerClock.Moment now, long clockMicros) {
        byte[] bytes = command.encoded(session.knows(command.script()), last(clockMicros));
        length = bytes.length;
        sentAt = now;
        sentTo = session.life();
        serverMicros = clockMicros;
        limitNanos = now.nanos() + timeoutNanos();
        outstanding = true;
        sent = true;
        return bytes;
    }

    Script script() {
        return command.script();
    }
}
