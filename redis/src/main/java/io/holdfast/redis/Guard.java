package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a command that is not done by its deadline, wherever it is stuck. The time-out of a socket alone does not bound
 * it: that starts anew with every byte that trickles in.
 *
 * <p>At most one timer is set, however many commands come. When it goes off it looks whether there is something to cut,
 * and is set again only for a command that is under way.
 */
final class Guard {
    private final Platform platform;

    // Guarded by this; that it was cut may be read without.
    private @Nullable Closeable connection;
    private boolean busy;
    private volatile boolean cut;
    private long deadlineNanos;
    private Platform.@Nullable Timer timer;
    private long timerNanos;

    Guard(Platform platform) {
        this.platform = platform;
    }

    /** A command begins. */
    synchronized void begin(long deadline) {
        busy = true;
        cut = false;
        deadlineNanos = deadline;
        if (timer != null && timerNanos - deadline > 0) {
            timer.cancel();
            timer = null;
        }
        if (timer == null) {
            arm();
        }
    }

    /** The command is over, in one way or the other. True if its connection was cut, or is about to be. */
    synchronized boolean end() {
        busy = false;
        return cut;
    }

    /** Until when whoever has begun may take, or a moment, if that is later. */
    synchronized long notBefore(long moment) {
        return busy && deadlineNanos - moment > 0 ? deadlineNanos : moment;
    }

    /** The last command is over: no timer is kept for another. */
    synchronized void dismiss() {
        busy = false;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Asked for every reply, so without a lock: it is true before anything is cut. */
    boolean hasCut() {
        return cut;
    }

    /** What this command and those after it are sent over; also while it is only being opened. */
    void watch(Closeable opened) {
        boolean late;
        synchronized (this) {
            connection = opened;
            late = busy && deadlineNanos - platform.nanoTime() <= 0;
            cut |= late;
        }
        if (late) {
            close(opened);
        }
    }

    private void arm() {
        timerNanos = deadlineNanos;
        timer = platform.schedule(Math.max(0, timerNanos - platform.nanoTime()), this::look);
    }

    private void look() {
        Closeable stuck;
        synchronized (this) {
            timer = null;
            if (!busy) {
                return;
            }
            if (deadlineNanos - platform.nanoTime() > 0) {
                arm();
                return;
            }
            cut = true;
            stuck = connection;
        }
        if (stuck != null) {
            // Closing may have to wait for a write, and the timer must not.
            platform.callbacks().execute(() -> close(stuck));
        }
    }

    private static void close(Closeable stuck) {
        try {
            stuck.close();
        } catch (IOException | RuntimeException e) {
            // It was to be thrown away; whoever uses it finds out.
        }
    }
}
