package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Redis server in a process of its own, on the loopback address unless told otherwise. Thread safe.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start()) {
 *     redis.command("SET", "a", "1");
 *     redis.kill9();
 *     redis.restart();
 *     assertThat(redis.keys()).isEmpty();
 * }
 * }</pre>
 *
 * <p>A snapshot taken by {@code command("SAVE")} is loaded by {@link #restart()} also where the server is not
 * persistent: that is a restart from an old snapshot.
 *
 * <p>Commands travel on one cached connection that calls itself {@value #ADMIN_NAME} in {@code CLIENT LIST}. Failures
 * to start, stop or answer are {@code IllegalStateException}s with the end of the server's log, connection failures are
 * {@code UncheckedIOException}s, and error replies are {@link RespError}s.
 */
public final class RedisServer implements AutoCloseable {
    /** The name of this class's own connection at the server. */
    public static final String ADMIN_NAME = "holdfast-admin";

    private static final Logger LOG = LoggerFactory.getLogger(RedisServer.class);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
    private static final int START_ATTEMPTS = 10;

    private final RedisConfig config;
    private final Path dir;
    private final Path configFile;
    private final int port;
    private final Object adminLock = new Object();
    private volatile RedisProcess process;
    private @Nullable Resp admin;

    private RedisServer(RedisConfig config, Path dir, Path configFile, int port, RedisProcess process) {
        this.config = config;
        this.dir = dir;
        this.configFile = configFile;
        this.port = port;
        this.process = process;
    }

    /** The versions that can be started. */
    public enum Version {
        /** 7.0.15. */
        V7_0,
        /** 6.2.11 on Linux amd64, another 6.2 elsewhere; the one that works under libfaketime. */
        V6_2
    }

    /** Starts 7.0 with the defaults of the builder. */
    public static RedisServer start() {
        return builder().start();
    }

    public static RedisServer start(Version version) {
        return builder().version(version).start();
    }

    public static RedisServerBuilder builder() {
        return new RedisServerBuilder();
    }

    static RedisServer launch(RedisConfig config) {
        Path dir = prepareDir(config);
        for (int attempt = 1; ; attempt++) {
            int port =
                    config.fixedPort() > 0 ? config.fixedPort() : config.host().port();
            Path configFile = config.write(dir, port);
            RedisProcess process = RedisProcess.start(config, dir, configFile, port);
            try {
                process.awaitReady();
                LOG.debug(
                        "Redis {} runs on port {}, process {}",
                        config.version(),
                        port,
                        process.os().pid());
                return new RedisServer(config, dir, configFile, port, process);
            } catch (RuntimeException e) {
                boolean again = process.lostARace() && config.fixedPort() == 0 && attempt < START_ATTEMPTS;
                process.os().kill9();
                if (!again) {
                    deleteOwn(config, dir);
                    throw e;
                }
            }
        }
    }

    private static Path prepareDir(RedisConfig config) {
        Path asked = config.dir();
        if (asked == null) {
            return TempFolder.create("redis");
        }
        try {
            return Files.createDirectories(asked);
        } catch (IOException e) {
            throw new UncheckedIOException("could not make the folder " + asked + " for a Redis server", e);
        }
    }

    public int port() {
        return port;
    }

    /** {@code redis://127.0.0.1:6379}, with {@code :password@} and {@code rediss} where they apply. */
    public String uri() {
        String password = config.password();
        String credentials = password == null ? "" : ":" + URLEncoder.encode(password, UTF_8) + "@";
        return (config.certificate() == null ? "redis://" : "rediss://") + credentials + address();
    }

    /** Where it runs. */
    public NetworkHost host() {
        return config.host();
    }

    /** {@code 127.0.0.1:6379}. */
    public String address() {
        return host().address() + ":" + port;
    }

    public Path dir() {
        return dir;
    }

    /** The certificate of a server started with {@link RedisServerBuilder#tls()}. */
    public TestCertificate certificate() {
        TestCertificate certificate = config.certificate();
        if (certificate == null) {
            throw new IllegalStateException("Redis on port " + port + " was started without tls()");
        }
        return certificate;
    }

    /** The id of the present process; another one after each restart. */
    public long pid() {
        return process.os().pid();
    }

    public boolean isRunning() {
        return process.os().isAlive();
    }

    /** SIGKILL: the server ends at once and without a word. */
    public void kill9() {
        process.os().kill9();
    }

    /** SIGTERM: the server closes its files and ends. Also ends a paused one. */
    public void stop() {
        OsProcess os = process.os();
        if (!os.isAlive()) {
            return;
        }
        os.resume(); // a paused process does not hear SIGTERM
        os.terminate();
        if (!os.awaitExit(STOP_TIMEOUT)) {
            throw new IllegalStateException(process.describe("did not stop in " + STOP_TIMEOUT));
        }
    }

    /** Stops the server if it runs, and starts it again on the same port and in the same folder. */
    public synchronized void restart() {
        stop();
        process = RedisProcess.start(config, dir, configFile, port);
        process.awaitReady();
    }

    /** SIGSTOP: connections stay open, nothing is answered. */
    public void pause() {
        process.os().pause();
    }

    /** SIGCONT. */
    public void resume() {
        process.os().resume();
    }

    /** Waits until the server answers, for instance after it was resumed or has loaded its data. */
    public void waitUntilReady() {
        process.awaitReady();
    }

    /**
     * Why this machine cannot start servers whose clocks can be set; empty if it can. It takes Linux and a C compiler; a test
     * that needs it is aborted with this reason.
     */
    public static String whyNoMovableClock() {
        return MovableClock.whyNot();
    }

    /** Sets the clock of a server with {@link RedisServerBuilder#movableClock()}: so much ahead of the true time, or behind. */
    public void setClock(Duration ahead) {
        MovableClock clock = config.clock();
        if (clock == null) {
            throw new IllegalStateException("Redis on port " + port + " was started without movableClock()");
        }
        clock.set(ahead);
    }

    /** Gives one command and returns its reply; see {@link Resp} for the types. */
    public @Nullable Object command(String... command) {
        synchronized (adminLock) {
            Resp resp = admin();
            try {
                return resp.call(command);
            } catch (UncheckedIOException e) {
                // A late reply must not be taken for that of the next command.
                closeAdmin();
                throw new UncheckedIOException(process.describe("did not answer " + command[0]), e.getCause());
            }
        }
    }

    private Resp admin() {
        if (admin != null && !admin.isStale()) {
            return admin;
        }
        closeAdmin();
        Resp resp = process.connect(COMMAND_TIMEOUT);
        resp.call("CLIENT", "SETNAME", ADMIN_NAME);
        admin = resp;
        return resp;
    }

    private void closeAdmin() {
        if (admin != null) {
            admin.close();
            admin = null;
        }
    }

    /** All keys of database 0, sorted. */
    public Set<String> keys() {
        Set<String> keys = new TreeSet<>();
        if (command("KEYS", "*") instanceof List<?> list) {
            list.forEach(key -> keys.add(String.valueOf(key)));
        }
        return keys;
    }

    /** All keys but those at which clients that are open say where they run. */
    public Set<String> keysOfLocks() {
        Set<String> keys = keys();
        keys.removeIf(key -> key.contains(":~client:"));
        return keys;
    }

    /** A section of INFO, such as {@code memory}. */
    public Map<String, String> info(String section) {
        return InfoText.parse(command("INFO", section));
    }

    /** How often each command ran since the start or the last {@code CONFIG RESETSTAT}, scripts' own calls included. */
    public Map<String, Long> commandStats() {
        return InfoText.calls(info("commandstats"));
    }

    public long usedMemory() {
        return Long.parseLong(info("memory").getOrDefault("used_memory", "0"));
    }

    public void flushAll() {
        command("FLUSHALL");
    }

    /** Closes every connection but this class's own, subscribers included, and returns how many there were. */
    public long killClients() {
        return killClients("normal") + killClients("pubsub");
    }

    private long killClients(String type) {
        return command("CLIENT", "KILL", "TYPE", type) instanceof Long killed ? killed : 0;
    }

    /** Kills the server and deletes its folder, unless that was given. */
    @Override
    public synchronized void close() {
        synchronized (adminLock) {
            closeAdmin();
        }
        process.os().kill9();
        deleteOwn(config, dir);
        MovableClock clock = config.clock();
        if (clock != null) {
            clock.delete();
        }
    }

    private static void deleteOwn(RedisConfig config, Path dir) {
        if (config.dir() == null) {
            TempFolder.delete(dir);
        }
    }
}
