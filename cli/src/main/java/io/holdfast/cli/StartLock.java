package io.holdfast.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Whoever starts or stops the server holds this. The kernel frees it when its process dies. */
final class StartLock {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final long POLL_NANOS = 10_000_000L;

    private StartLock() {}

    interface Work<T> {
        T run() throws IOException;
    }

    /** Does the work while no other process does such work. */
    static <T> T alone(StateFolder folder, Work<T> work) throws IOException {
        try (FileChannel channel = FileChannel.open(
                folder.own("lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), StateFolder.FILE)) {
            take(channel);
            return work.run();
        }
    }

    private static void take(FileChannel channel) throws IOException {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (channel.tryLock() == null) {
            if (System.nanoTime() - end >= 0) {
                throw new Failure(
                        ExitCode.UNAVAILABLE,
                        "another process of this user has been starting or stopping the Redis server for "
                                + LONGEST_WAIT.toSeconds() + " s");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
