package io.holdfast.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which store to use: the one that was named, or this user's own. Closed when it is no longer used. */
final class StoreChoice implements AutoCloseable {
    static final String VARIABLE = "HOLDFAST_STORE";

    private final String uri;
    private final @Nullable Heartbeat heartbeat;

    private StoreChoice(String uri, @Nullable Heartbeat heartbeat) {
        this.uri = uri;
        this.heartbeat = heartbeat;
    }

    static StoreChoice of(@Nullable String option, Map<String, String> environment) {
        String named = option != null ? option : environment.getOrDefault(VARIABLE, "");
        if (!named.isEmpty()) {
            return new StoreChoice(refuseMemory(named), null);
        }
        if (option != null) {
            throw new Failure(ExitCode.USAGE, "--store is empty: write it like redis://host:6379, or leave it out");
        }
        EmbeddedServer server = EmbeddedServer.of(environment);
        ServerState running = server.obtain();
        Stderr.say("using this user's own Redis on this machine; other machines are not excluded (set " + VARIABLE
                + " or --store)");
        return new StoreChoice(running.uri(), server.use(running));
    }

    private static String refuseMemory(String uri) {
        if (uri.startsWith("memory:")) {
            throw new Failure(ExitCode.USAGE, "the store memory: is this process alone, and excludes nobody");
        }
        return uri;
    }

    /** Secrets included. */
    String uri() {
        return uri;
    }

    @Override
    public void close() {
        if (heartbeat != null) {
            heartbeat.close();
        }
    }
}
