package io.holdfast.cli;

import java.util.Timer;
import java.util.TimerTask;

/** Says on stderr that something takes long, and goes on; nothing if it does not. */
final class Progress implements AutoCloseable {
    private static final long EVERY_MILLIS = 3_000;

    private final Timer timer = new Timer("holdfast-progress", true);

    Progress(String what) {
        long start = System.nanoTime();
        TimerTask say = new TimerTask() {
            @Override
            public void run() {
                Stderr.say(what + ", for " + (System.nanoTime() - start) / 1_000_000_000 + " s so far");
            }
        };
        timer.schedule(say, EVERY_MILLIS, EVERY_MILLIS);
    }

    /** There is nothing more to say. */
    void done() {
        timer.cancel();
    }

    @Override
    public void close() {
        done();
    }
}
