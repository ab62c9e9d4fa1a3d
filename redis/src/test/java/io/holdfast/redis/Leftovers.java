package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import java.util.List;

/** What stands in a server although it should not. */
final class Leftovers {
    private static final String CLIENT = Scripts.PREFIX + "~client:";
    private static final String OWN = "hf1 " + ProcessHandle.current().pid() + " ";

    private Leftovers() {}

    /** All keys but the counters, and but those with which processes introduced themselves that a test has killed. */
    static List<String> of(RedisServer server) {
        return server.keys().stream()
                .filter(key -> !key.equals(Scripts.ANY_FENCE) && !key.startsWith(Scripts.ANY_FENCE + ":"))
                .filter(key -> !key.startsWith(CLIENT)
                        || String.valueOf(server.command("GET", key)).startsWith(OWN))
                .toList();
    }
}
