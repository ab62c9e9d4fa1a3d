package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RedisServer} is started with.
 *
 * @param program what to run in place of the version's own program, or null
 * @param fixedPort the port asked for, or 0 for any free one
 * @param dir the folder asked for, or null for a fresh one that is deleted at the end
 * @param sentinel whether it is no store but a Sentinel that watches others
 * @param host where it runs
 * @param lines lines of the configuration file that come after (and so override) our own
 * @param clock its clock if that can be set; null if it has the machine's
 */
record RedisConfig(
        RedisServer.Version version,
        @Nullable Path program,
        int fixedPort,
        @Nullable Path dir,
        @Nullable String password,
        @Nullable TestCertificate certificate,
        boolean persistent,
        boolean sentinel,
        NetworkHost host,
        List<String> lines,
        Map<String, String> environment,
        @Nullable MovableClock clock) {

    RedisConfig {
        lines = List.copyOf(lines);
        environment = Map.copyOf(environment);
    }

    /** Writes the configuration file; a server that rewrites it finds its own version again after a restart. */
    Path write(Path folder, int port) {
        try {
            return Files.write(folder.resolve("redis.conf"), text(folder, port));
        } catch (IOException e) {
            throw new UncheckedIOException("could not write the configuration of a Redis server", e);
        }
    }

    private List<String> text(Path folder, int port) {
        List<String> text = new ArrayList<>();
        text.add("bind " + host.address());
        text.add("protected-mode no");
        text.add("daemonize no");
        text.add("dir " + folder);
        text.add("save \"\"");
        text.add("appendonly " + (persistent ? "yes" : "no"));
        text.add("appendfsync always");
        if (version == RedisServer.Version.V7_0) {
            text.add("enable-debug-command yes"); // older servers allow DEBUG anyway
        }
        if (password != null) {
            text.add("requirepass \"" + password + "\"");
            text.add("masterauth \"" + password + "\"");
        }
        if (certificate == null) {
            text.add("port " + port);
        } else {
            text.add("port 0");
            text.add("tls-port " + port);
            text.add("tls-cert-file " + certificate.certificateFile());
            text.add("tls-key-file " + certificate.keyFile());
            text.add("tls-ca-cert-file " + certificate.certificateFile());
            text.add("tls-auth-clients no");
        }
        text.addAll(lines);
        return text;
    }
}
