package io.holdfast.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;

/** Says again and again that the server is in use, until closed. */
final class Heartbeat implements AutoCloseable {
    private final Timer timer = new Timer("holdfast-heartbeat", true);

    Heartbeat(StateFolder folder, Duration idle) {
        long millis = idle.toMillis() / 10;
        TimerTask beat = new TimerTask() {
            @Override
            public void run() {
                try {
                    folder.touch(EmbeddedServer.USED);
                } catch (IOException e) {
                    // The folder is gone, and so will be the server: the lease tells, as with any lost server.
                    cancel();
                }
            }
        };
        timer.schedule(beat, millis, millis);
    }

    @Override
    public void close() {
        timer.cancel();
    }
}
