package io.holdfast.servers;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Options of a {@link RedisServer}. By default: 7.0, any free port, a fresh folder, no persistence. */
public final class RedisServerBuilder {
    private final List<String> lines = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private RedisServer.Version version = RedisServer.Version.V7_0;
    private @Nullable Path program;
    private int port;
    private boolean persistent;
    private boolean tls;
    private boolean sentinel;
    private boolean movableClock;
    private NetworkHost host = NetworkHost.LOOPBACK;
    private @Nullable Path dir;
    private @Nullable String password;

    RedisServerBuilder() {}

    public RedisServerBuilder version(RedisServer.Version version) {
        this.version = requireNonNull(version, "version");
        return this;
    }

    /** Runs that program in place of the one that comes along; it has to take the configuration of the version. */
    public RedisServerBuilder program(Path program) {
        this.program = program.toAbsolutePath();
        return this;
    }

    /** Adds a line to the configuration file: {@code config("maxmemory", "2mb")}. */
    public RedisServerBuilder config(String name, String value) {
        lines.add(name + " " + (value.isEmpty() ? "\"\"" : value));
        return this;
    }

    public RedisServerBuilder password(String password) {
        if (password.isEmpty() || password.contains("\"") || password.contains("\\")) {
            throw new IllegalArgumentException("password '" + password + "' is empty or holds a quote or backslash");
        }
        this.password = password;
        return this;
    }

    public RedisServerBuilder port(int port) {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
        }
        this.port = port;
        return this;
    }

    /** The folder the server works in; it is kept when the server is closed. */
    public RedisServerBuilder dir(Path dir) {
        this.dir = dir.toAbsolutePath();
        return this;
    }

    /** Every write goes to an append-only file at once, and is there again after a restart. */
    public RedisServerBuilder persistent() {
        this.persistent = true;
        return this;
    }

    /** Talks TLS on its port, and nothing else; see {@link RedisServer#certificate()}. */
    public RedisServerBuilder tls() {
        this.tls = true;
        return this;
    }

    /** Runs there, and listens on its address only; on the loopback address if that is not said. */
    public RedisServerBuilder host(NetworkHost host) {
        this.host = requireNonNull(host, "host");
        return this;
    }

    /** Keeps no data, but watches the servers that its configuration names; see {@link RedisSentinels}. */
    RedisServerBuilder sentinel() {
        this.sentinel = true;
        return this;
    }

    /** Sets a variable of the server's environment, such as {@code LD_PRELOAD}. */
    public RedisServerBuilder environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Has a clock of its own, for {@link RedisServer#setClock}; only {@link RedisServer.Version#V6_2} can have one. */
    public RedisServerBuilder movableClock() {
        this.movableClock = true;
        return this;
    }

    public RedisServer start() {
        TestCertificate certificate = tls ? TestCertificate.get() : null;
        MovableClock clock = null;
        if (movableClock) {
            if (version != RedisServer.Version.V6_2) {
                throw new IllegalStateException(
                        "Redis " + version + " is linked statically, so its clock cannot be set");
            }
            clock = new MovableClock();
            environment.putAll(clock.environment());
        }
        return RedisServer.launch(new RedisConfig(
                version,
                program,
                port,
                dir,
                password,
                certificate,
                persistent,
                sentinel,
                host,
                lines,
                environment,
                clock));
    }
}
