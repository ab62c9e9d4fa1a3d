package io.holdfast.simulation.load;

import io.holdfast.simulation.world.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which servers and which clients something is wrong with, and until when: a minority of the servers must not matter. */
final class Troubles {
    private record Trouble(
            @Nullable String server, @Nullable String client, long until) {}

    private final World world;
    private final int minority;
    private final List<Trouble> all = new ArrayList<>();

    Troubles(World world, int minority) {
        this.world = world;
        this.minority = minority;
    }

    void server(String name, long until) {
        all.add(new Trouble(name, null, until));
    }

    void client(String name, long until) {
        all.add(new Trouble(null, name, until));
    }

    /**
     * Whether nothing has been wrong lately but with a minority of the servers, and nothing with that client. What another
     * client has left lying on a server counts as if it were down, so with both there may be too few.
     *
     * @param nanos for how long what was wrong has consequences
     */
    boolean isMinorityOnly(String client, long nanos) {
        Set<String> servers = new HashSet<>();
        boolean others = false;
        for (Trouble trouble : all) {
            if (trouble.until() + nanos > world.now()) {
                if (trouble.server() != null) {
                    servers.add(trouble.server());
                } else if (client.equals(trouble.client())) {
                    return false;
                } else {
                    others = true;
                }
            }
        }
        return servers.isEmpty() || (servers.size() <= minority && !others);
    }
}
