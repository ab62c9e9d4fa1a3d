package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.spi.LockInfo;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** {@code holdfast server}: looks at this user's own server, or ends it. */
@Command(
        name = "server",
        description = "This user's own Redis server on this machine, which is started by holdfast run where no store"
                + " is named, and ends after ten idle minutes.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "It keeps its files in $XDG_STATE_HOME/holdfast (else ~/.local/state/holdfast). HOLDFAST_EMBEDDED_IDLE, in",
            "seconds, sets the idle time of a server that is being started. A server belongs to the service, job or",
            "container that started it, and may be ended with it; the locks in it are then lost."
        })
final class ServerCommand implements Runnable {
    /** How the key of the counter ends. */
    private static final String COUNTER = "~fence";

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "say what to do: status or stop");
        }
    }

    @Command(
            name = "status",
            description = "Says where it runs and how long it has been idle; exits with 1 if it does not run.")
    int status() {
        EmbeddedServer server = EmbeddedServer.of(System.getenv());
        Optional<ServerState> running = server.running();
        if (running.isEmpty()) {
            System.out.println("not running");
            return 1;
        }
        ServerState state = running.get();
        System.out.printf(
                "redis://%s, process %d, idle for %d s, ends after %d s%n",
                state.address(),
                state.pid(),
                server.idleFor().toSeconds(),
                state.idle().toSeconds());
        return 0;
    }

    @Command(name = "stop", description = "Ends it.")
    int stop(
            @Option(names = "--force", description = "Even if locks are held: their holders lose them.")
                    boolean force) {
        EmbeddedServer server = EmbeddedServer.of(System.getenv());
        Optional<ServerState> running = server.running();
        if (running.isEmpty()) {
            System.out.println("not running");
            return 0;
        }
        if (!force) {
            refuseIfLocked(running.get());
        }
        server.stop(running.get());
        System.out.println("stopped");
        return 0;
    }

    private static void refuseIfLocked(ServerState state) {
        List<LockInfo> locks = new ArrayList<>();
        for (String prefix : prefixes(state)) {
            try (Holdfast client =
                    Holdfast.builder().uri(state.uri()).keyPrefix(prefix).build()) {
                locks.addAll(client.inspect("*"));
            }
        }
        if (!locks.isEmpty()) {
            throw new Failure(
                    ExitCode.TIMEOUT,
                    "lock '" + locks.get(0).name() + "'"
                            + (locks.size() == 1 ? " is" : " and " + (locks.size() - 1) + " more are")
                            + " in use; --force stops the server all the same");
        }
    }

    /** All under which there was ever a lock: each has a counter of tokens, which does not expire. */
    private static Set<String> prefixes(ServerState state) {
        Set<String> prefixes = new TreeSet<>();
        try (Jedis server = new Jedis(URI.create(state.uri()))) {
            ScanParams counters = new ScanParams().match("*" + COUNTER).count(1000);
            String cursor = ScanParams.SCAN_POINTER_START;
            do {
                ScanResult<String> some = server.scan(cursor, counters);
                some.getResult().forEach(key -> prefixes.add(key.substring(0, key.length() - COUNTER.length())));
                cursor = some.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        } catch (JedisException e) {
            throw new Failure(ExitCode.UNAVAILABLE, "cannot look for locks in " + state + ": " + e.getMessage(), e);
        }
        return prefixes;
    }
}
