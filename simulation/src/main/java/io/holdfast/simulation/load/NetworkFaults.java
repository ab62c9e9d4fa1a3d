package io.holdfast.simulation.load;

import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.world.Dice;

/** What befalls the messages between a client and the server. */
final class NetworkFaults {
    private static final long MS = 1_000_000L;

    private final Scene scene;

    NetworkFaults(Scene scene) {
        this.scene = scene;
    }

    void happen(Director.Blow blow) {
        Dice dice = blow.dice();
        Party party = blow.site().party();
        Network.Line line = scene.network().line(party.host().name());
        long now = scene.world().now();
        long lease = scene.setup().leaseMillis() * MS;
        long timeout = scene.setup().timeoutMillis() * MS;
        long length = blow.length();
        switch (blow.fault()) {
            case MESSAGE_LOSS -> {
                line.vanish += 1 + dice.below(3);
                scene.director().disturbed(12_000 * MS);
            }
            case SLOW_NETWORK -> {
                line.slowUntil = now + 3 * length;
                line.slowNanos = dice.pick(timeout / 2, timeout, 2 * timeout);
                scene.director().disturbed(3 * length + 2 * timeout);
            }
            case SLOW_THEN_PARTITION -> {
                // The answer to a renewal is late, and it is the last for a while.
                line.slowUntil = now + lease;
                line.slowNanos = dice.pick(lease / 10, timeout / 2);
                scene.world().after(dice.below(lease), () -> {
                    line.upBlockedUntil = scene.world().now() + 2 * lease;
                    line.downBlockedUntil = scene.world().now() + 2 * lease;
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
                        line.slowUntil = scene.world().now() + slowFor;
                        line.slowNanos = slow;
                        scene.world()
                                .after(
                                        slowFor,
                                        () -> scene.stage()
                                                .servers()
                                                .forEach(server -> server.breakAtClient(
                                                        party.host().name())));
                    });
                }
                scene.director().disturbed(2 * length + lease + 8_000 * MS);
            }
            case DUPLICATES -> {
                line.twiceUntil = now + length;
                line.twiceWithinNanos = dice.pick(10 * MS, timeout, 3 * timeout);
                // A second acquire may take the lock or a ticket for somebody who has left; it ends by itself.
                scene.director().disturbed(length + 3 * timeout + lease + 8_000 * MS);
            }
            case PARTITION -> {
                line.upBlockedUntil = now + length;
                line.downBlockedUntil = now + length;
            }
            case ONE_WAY_PARTITION -> {
                if (dice.oneIn(2)) {
                    line.upBlockedUntil = now + length;
                } else {
                    line.downBlockedUntil = now + length;
                }
            }
            case CONNECTIONS_RESET -> {
                String client = dice.oneIn(2) ? party.host().name() : null;
                for (Server server : scene.stage().servers()) {
                    if (server.resetAll(client) > 0) {
                        scene.hits().hit(22);
                    }
                }
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
    }
}
