package io.holdfast.simulation.load;

import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.world.Dice;
import java.util.List;

/** What befalls the messages between a client and the server. */
final class NetworkFaults {
    private static final long MS = 1_000_000L;

    private final Scene scene;

    NetworkFaults(Scene scene) {
        this.scene = scene;
    }

    /**
     * Lets it happen.
     *
     * @param sites whose messages
     * @param servers from and to which
     */
    void happen(Director.Blow blow, List<Site> sites, List<Server> servers) {
        Dice dice = blow.dice();
        List<String> clients =
                sites.stream().map(site -> site.party().host().name()).toList();
        List<Network.Line> lines = lines(clients, servers);
        long now = scene.world().now();
        long lease = scene.setup().leaseMillis() * MS;
        long timeout = scene.setup().timeoutMillis() * MS;
        long length = blow.length();
        switch (blow.fault()) {
            case MESSAGE_LOSS -> {
                int lost = 1 + dice.below(3);
                lines.forEach(line -> line.vanish += lost);
                scene.director().disturbed(12_000 * MS);
            }
            case SLOW_NETWORK -> {
                slow(lines, now + 3 * length, dice.pick(timeout / 2, timeout, 2 * timeout));
                scene.director().disturbed(3 * length + 2 * timeout);
            }
            case SLOW_THEN_PARTITION -> {
                // The answer to a renewal is late, and it is the last for a while.
                slow(lines, now + lease, dice.pick(lease / 10, timeout / 2));
                scene.world().after(dice.below(lease), () -> {
                    block(lines, true, 2 * lease);
                    block(lines, false, 2 * lease);
                });
                scene.director().disturbed(4 * lease);
            }
            case CONNECTIONS_BREAK_HERE -> {
                // The client hears of a break, and what it has sent arrives later all the same: after what it says
                // next.
                for (int i = 0; i < 6; i++) {
                    long slowFor = 1 + dice.below(timeout / 4);
                    long slow = dice.pick(timeout / 3, timeout * 3 / 4);
                    scene.world().after(dice.below(2 * length), () -> {
                        slow(lines, scene.world().now() + slowFor, slow);
                        scene.world().after(slowFor, () -> breakHere(clients, servers));
                    });
                }
                scene.director().disturbed(2 * length + lease + 8_000 * MS);
            }
            case DUPLICATES -> {
                long within = dice.pick(10 * MS, timeout, 3 * timeout);
                lines.forEach(line -> {
                    line.twiceUntil = now + length;
                    line.twiceWithinNanos = within;
                });
                // A second acquire may take the lock or a ticket for somebody who has left; it ends by itself.
                scene.director().disturbed(length + 3 * timeout + lease + 8_000 * MS);
            }
            case PARTITION -> {
                block(lines, true, length);
                block(lines, false, length);
            }
            case ONE_WAY_PARTITION -> block(lines, dice.oneIn(2), length);
            case CONNECTIONS_RESET -> {
                String client = dice.oneIn(2) ? blow.site().party().host().name() : null;
                for (Server server : scene.stage().servers()) {
                    if (server.resetAll(client) > 0) {
                        scene.hits().hit(22);
                    }
                }
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
    }

    /** As many as there are between them: a client may have one for all servers. */
    private List<Network.Line> lines(List<String> clients, List<Server> servers) {
        return clients.stream()
                .flatMap(client -> servers.stream()
                        .map(server ->
                                scene.network().line(client, server.host().name())))
                .distinct()
                .toList();
    }

    private static void slow(List<Network.Line> lines, long until, long nanos) {
        lines.forEach(line -> {
            line.slowUntil = until;
            line.slowNanos = nanos;
        });
    }

    private void block(List<Network.Line> lines, boolean up, long nanos) {
        long until = scene.world().now() + nanos;
        lines.forEach(line -> {
            if (up) {
                line.upBlockedUntil = until;
            } else {
                line.downBlockedUntil = until;
            }
        });
    }

    private static void breakHere(List<String> clients, List<Server> servers) {
        for (Server server : servers) {
            clients.forEach(server::breakAtClient);
        }
    }
}
