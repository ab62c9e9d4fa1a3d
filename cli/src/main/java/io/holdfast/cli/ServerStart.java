package io.holdfast.cli;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/** Starts a server on a free port of the loopback address, with a fresh password that stands in files only. */
final class ServerStart {
    static final String LOG = "redis.log";

    private static final String CONFIG = "redis.conf";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration ONE_TRY = Duration.ofSeconds(1);
    private static final long POLL_NANOS = 5_000_000L;
    private static final int ATTEMPTS = 10;
    // Below the ports that the kernel hands to outgoing connections.
    private static final int FIRST_PORT = 10_000;
    private static final int LAST_PORT = 32_000;

    private final StateFolder folder;
    private final SecureRandom random = new SecureRandom();

    ServerStart(StateFolder folder) {
        this.folder = folder;
    }

    ServerState start(Duration idle) throws IOException {
        Path program = RedisProgram.unpack(folder);
        for (int attempt = 1; ; attempt++) {
            String id = secret(8);
            String password = secret(24);
            int port = freePort();
            folder.write(CONFIG, config(port, password));
            folder.write(LOG, "");
            long supervisor = Supervisor.start(folder, id, idle, program);
            ServerState draft = new ServerState(id, port, password, 0, supervisor, idle);
            OptionalLong pid = awaitAnswer(draft);
            // Not so if a stranger has been faster at the port, and says yes to everything.
            if (pid.isPresent() && RedisProgram.isRunBy(pid.getAsLong(), folder)) {
                return new ServerState(id, port, password, pid.getAsLong(), supervisor, idle);
            }
            Supervisor.find(draft).ifPresent(ProcessHandle::destroy);
            // The port was free a moment ago, but another may have been faster.
            if (attempt == ATTEMPTS || !lastWords().contains("Address already in use")) {
                throw new IOException("the server did not start; the end of its log: " + lastWords());
            }
        }
    }

    private static String config(int port, String password) {
        return """
                bind 127.0.0.1
                port %d
                requirepass %s
                protected-mode yes
                daemonize no
                logfile %s
                loglevel warning
                save ""
                appendonly no
                maxmemory-policy noeviction
                """.formatted(port, password, LOG);
    }

    private static OptionalLong awaitAnswer(ServerState draft) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - end < 0) {
            OptionalLong pid = RedisPing.pid(draft.port(), draft.password(), ONE_TRY);
            if (pid.isPresent() || Supervisor.find(draft).isEmpty()) {
                return pid;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return OptionalLong.empty();
    }

    private String lastWords() throws IOException {
        List<String> lines = Files.readAllLines(folder.own(LOG));
        return lines.isEmpty() ? "(empty)" : lines.get(lines.size() - 1);
    }

    private int freePort() throws IOException {
        for (int attempt = 1; ; attempt++) {
            int port = FIRST_PORT + random.nextInt(LAST_PORT - FIRST_PORT);
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(RedisPing.loopback(port));
                return port;
            } catch (IOException e) {
                if (attempt == 100) {
                    throw e;
                }
            }
        }
    }

    private String secret(int bytes) {
        byte[] secret = new byte[bytes];
        random.nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }
}
