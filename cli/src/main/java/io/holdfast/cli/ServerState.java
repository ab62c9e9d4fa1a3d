package io.holdfast.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the processes of one user know about their server.
 *
 * @param id of this one server, never used again
 * @param pid the server's process
 * @param supervisor the process that ends the server when it is idle
 * @param idle after which idle time that is
 */
record ServerState(String id, int port, String password, long pid, long supervisor, Duration idle) {

    /** Empty if the file is not there, or not one of ours. */
    static Optional<ServerState> read(Path file) throws IOException {
        Map<String, String> values = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                int equals = line.indexOf('=');
                values.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ServerState(
                    values.getOrDefault("id", ""),
                    Integer.parseInt(values.getOrDefault("port", "")),
                    values.getOrDefault("password", ""),
                    Long.parseLong(values.getOrDefault("pid", "")),
                    Long.parseLong(values.getOrDefault("supervisor", "")),
                    Duration.ofSeconds(Long.parseLong(values.getOrDefault("idle", "")))));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    String text() {
        return "id=" + id + "\nport=" + port + "\npassword=" + password + "\npid=" + pid + "\nsupervisor=" + supervisor
                + "\nidle=" + idle.toSeconds() + "\n";
    }

    ServerState supervisedBy(long newSupervisor) {
        return new ServerState(id, port, password, pid, newSupervisor, idle);
    }

    /** The password included. */
    String uri() {
        return "redis://:" + password + "@" + address();
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "redis://" + address() + " (process " + pid + ")";
    }
}
