package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** One life of a Redis server: from its start to its end or kill. */
final class RedisProcess {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration PROBE_TIMEOUT = Duration.ofMillis(500);
    private static final int LOG_TAIL_LINES = 25;
    private static final List<String> LOST_RACES =
            List.of("Address already in use", "Address in use", "Text file busy");

    private final RedisConfig config;
    private final Path dir;
    private final int port;
    private final OsProcess process;

    private RedisProcess(RedisConfig config, Path dir, int port, OsProcess process) {
        this.config = config;
        this.dir = dir;
        this.port = port;
        this.process = process;
    }

    static RedisProcess start(RedisConfig config, Path dir, Path configFile, int port) {
        Path program = config.program() == null ? RedisBinary.of(config.version()) : config.program();
        List<String> command = new ArrayList<>(List.of(program.toString(), configFile.toString()));
        if (config.sentinel()) {
            command.add("--sentinel");
        }
        ProcessBuilder builder = new ProcessBuilder(config.host().run(command))
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        dir.resolve("redis.log").toFile()));
        builder.environment().putAll(config.environment());
        return new RedisProcess(config, dir, port, OsProcess.start(builder));
    }

    OsProcess os() {
        return process;
    }

    Resp connect(Duration timeout) {
        TestCertificate certificate = config.certificate();
        SSLContext tls = certificate == null ? null : certificate.clientContext();
        Resp resp = Resp.connect(config.host().address(), port, timeout, tls);
        String password = config.password();
        if (password != null) {
            try {
                resp.call("AUTH", password);
            } catch (RuntimeException e) {
                resp.close();
                throw e;
            }
        }
        return resp;
    }

    /** Waits until this very process answers commands; fails with the tail of its log. */
    void awaitReady() {
        Deadline deadline = Deadline.after(START_TIMEOUT);
        String answer = probe();
        while (!answer.equals("PONG")) {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        describe("ended with exit code " + process.process().exitValue() + " before it was ready"));
            }
            if (deadline.isOver()) {
                throw new IllegalStateException(describe("was not ready in " + START_TIMEOUT + " (" + answer + ")"));
            }
            process.awaitExit(Duration.ofMillis(5));
            answer = probe();
        }
    }

    private String probe() {
        try (Resp resp = connect(PROBE_TIMEOUT)) {
            String pong = String.valueOf(resp.call("PING"));
            String pid = InfoText.parse(resp.call("INFO", "server")).get("process_id");
            return isMe(pid) ? pong : "another process answers on this port, its id is " + pid;
        } catch (RespError | UncheckedIOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private boolean isMe(@Nullable String pid) {
        return Long.toString(process.pid()).equals(pid);
    }

    /** Whether the process ended for a reason that another attempt may not meet. */
    boolean lostARace() {
        return !process.isAlive() && LOST_RACES.stream().anyMatch(logTail()::contains);
    }

    String describe(String what) {
        return "Redis " + config.version() + " on port " + port + " (process " + process.pid() + ") " + what
                + "; the end of its log:\n" + logTail();
    }

    private String logTail() {
        try {
            List<String> lines =
                    Files.readString(dir.resolve("redis.log"), UTF_8).lines().toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }
}
