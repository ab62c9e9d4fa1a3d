package io.holdfast.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A Redis server of this user on this machine, shared by all processes of the command, started by the first one and
 * ended by its {@linkplain Supervisor supervisor} after some idle time.
 *
 * <p>Two servers at once would be two locks of each name, so all depends on everybody agreeing on one:
 *
 * <ul>
 *   <li>The file {@code server} names it. It is replaced as a whole, and only by a process that holds the
 *       {@link StartLock}, which found that the process named there is dead.
 *   <li>The supervisor alone ends the server. It first renames {@code server} to {@code ending}, then looks whether
 *       somebody has set the time of {@code used} meanwhile, and if so renames it back. Everybody else sets that time
 *       first and reads {@code server} then. So whoever has read {@code server} has been seen by the supervisor. Whoever
 *       has not found it waits, with the start lock in hand, until {@code ending} is gone, and looks again.
 *   <li>A server that runs and does not answer is not replaced: those who hold its locks may reach it again.
 * </ul>
 *
 * <p>That the process runs our own program, from a folder that is ours alone, is checked before anything is sent to the
 * port: after a crash or a reboot some other user's program may listen there, to be told the password.
 */
final class EmbeddedServer {
    static final String USED = "used";
    static final String IDLE_VARIABLE = "HOLDFAST_EMBEDDED_IDLE";

    private static final String STATE = "server";
    private static final String ENDING = "ending";
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 5_000_000L;

    private final StateFolder folder;
    private final Duration idle;

    private EmbeddedServer(StateFolder folder, Duration idle) {
        this.folder = folder;
        this.idle = idle;
    }

    static EmbeddedServer of(Map<String, String> environment) {
        String seconds = environment.getOrDefault(IDLE_VARIABLE, "600");
        if (!seconds.matches("[1-9][0-9]{0,6}")) {
            throw new Failure(ExitCode.USAGE, IDLE_VARIABLE + " is '" + seconds + "', not a number of seconds");
        }
        return new EmbeddedServer(StateFolder.open(environment), Duration.ofSeconds(Long.parseLong(seconds)));
    }

    /** The server, started if need be. */
    ServerState obtain() {
        try {
            folder.touch(USED);
            Optional<ServerState> running = ServerState.read(folder.own(STATE));
            if (running.isPresent()
                    && runs(running.get())
                    && answers(running.get(), Duration.ofSeconds(1))
                    && Supervisor.find(running.get()).isPresent()) {
                return running.get();
            }
            return StartLock.alone(folder, this::obtainAlone);
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.UNAVAILABLE, "cannot start this user's own Redis in " + folder.path() + ": " + e, e);
        }
    }

    /** Says that the server is in use until closed. */
    Heartbeat use(ServerState running) {
        return new Heartbeat(folder, running.idle());
    }

    private ServerState obtainAlone() throws IOException {
        awaitDecision();
        Optional<ServerState> known = ServerState.read(folder.own(STATE)).filter(this::runs);
        if (known.isEmpty()) {
            ServerState started = new ServerStart(folder).start(idle);
            folder.write(STATE, started.text());
            return started;
        }
        ServerState running = known.get();
        if (!answers(running, LONGEST_ANSWER)) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "this user's own Redis, " + running + ", does not answer; holdfast server stop --force ends it");
        }
        if (Supervisor.find(running).isPresent()) {
            return running;
        }
        ServerState adopted = running.supervisedBy(Supervisor.adopt(folder, running));
        folder.write(STATE, adopted.text());
        return adopted;
    }

    /** Waits until the supervisor has either ended its server or kept it. */
    private void awaitDecision() throws IOException {
        Path ending = folder.own(ENDING);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (Files.exists(ending)) {
            if (ServerState.read(ending).flatMap(Supervisor::find).isEmpty()) {
                // It died over its decision, so there is none.
                moveIfThere(ending, folder.own(STATE));
            } else if (System.nanoTime() - end >= 0) {
                throw new Failure(
                        ExitCode.UNAVAILABLE, "this user's own Redis is being ended, and does not come to its end");
            } else {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    // --- looking at it, and ending it by hand

    /** The server, if it runs. Does not count as a use. */
    Optional<ServerState> running() {
        try {
            return ServerState.read(folder.own(STATE)).filter(this::runs);
        } catch (IOException e) {
            throw new Failure(ExitCode.UNAVAILABLE, "cannot read " + folder.own(STATE) + ": " + e, e);
        }
    }

    /** Since when nobody has used it. */
    Duration idleFor() {
        try {
            return Duration.between(Files.getLastModifiedTime(folder.own(USED)).toInstant(), Instant.now());
        } catch (IOException e) {
            return Duration.ZERO;
        }
    }

    /** Ends the server, whoever uses it, and waits for its end. */
    void stop(ServerState running) {
        try {
            StartLock.alone(folder, () -> stopAlone(running));
        } catch (IOException e) {
            throw new Failure(ExitCode.UNAVAILABLE, "cannot stop " + running + ": " + e, e);
        }
    }

    /** Returns false if others have ended or replaced it. */
    private boolean stopAlone(ServerState running) throws IOException {
        if (!ServerState.read(folder.own(STATE)).equals(Optional.of(running))) {
            return false;
        }
        moveIfThere(folder.own(STATE), folder.own(ENDING));
        Supervisor.find(running).or(() -> ProcessHandle.of(running.pid())).ifPresent(ProcessHandle::destroy);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (runs(running) || Supervisor.find(running).isPresent()) {
            if (System.nanoTime() - end >= 0) {
                throw new Failure(ExitCode.UNAVAILABLE, running + " does not end");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        Files.deleteIfExists(folder.own(ENDING));
        return true;
    }

    // --- small things

    private boolean runs(ServerState state) {
        return RedisProgram.isRunBy(state.pid(), folder);
    }

    private static boolean answers(ServerState state, Duration atMost) {
        OptionalLong pid = RedisPing.pid(state.port(), state.password(), atMost);
        return pid.isPresent() && pid.getAsLong() == state.pid();
    }

    private static void moveIfThere(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // somebody was faster
        }
    }
}
