package io.holdfast.simulation.load;

import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.Dice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What befalls the servers of a quorum, and the messages to them. Mostly it is one of them, or a minority; a quorum must not
 * mind. Restarts are inside its timing model, with and without memory. What a server forgets while it runs, and clocks that
 * are stepped, are not.
 */
final class QuorumFaults {
    private static final long MS = 1_000_000L;

    private final Scene scene;
    private final List<Server> servers;
    private final Troubles troubles;

    QuorumFaults(Scene scene, List<Server> servers, Troubles troubles) {
        this.scene = scene;
        this.servers = servers;
        this.troubles = troubles;
    }

    void happen(Director.Blow blow) {
        List<Server> victims = victims(blow.dice());
        if (blow.fault().kind() == Fault.Kind.NETWORK) {
            network(blow, victims);
        } else {
            victims.forEach(server -> server(blow, server));
        }
    }

    private List<Server> victims(Dice dice) {
        List<Server> left = new ArrayList<>(servers);
        int minority = (servers.size() - 1) / 2;
        int count = dice.oneIn(8) ? servers.size() : dice.oneIn(6) ? minority + 1 : (int) dice.between(1, minority);
        List<Server> victims = new ArrayList<>();
        while (victims.size() < count) {
            victims.add(left.remove(dice.below(left.size())));
        }
        return victims;
    }

    /** It does not answer as it should, until then, and for as long as it takes to come back. */
    private void inTrouble(Server server, long nanos) {
        long timeout = scene.setup().timeoutMillis() * MS;
        troubles.server(server.host().name(), scene.world().now() + nanos + 2 * timeout + 1_000 * MS);
        scene.director().disturbed(nanos);
    }

    // --- messages

    private void network(Director.Blow blow, List<Server> victims) {
        Dice dice = blow.dice();
        long now = scene.world().now();
        long lease = scene.setup().leaseMillis() * MS;
        long timeout = scene.setup().timeoutMillis() * MS;
        long length = blow.length();
        // Of one client, or of all of them.
        List<Site> sites = dice.oneIn(2) ? List.of(blow.site()) : scene.sites();
        Consumer<Consumer<Network.Line>> lines =
                action -> sites.forEach(site -> victims.forEach(server -> action.accept(scene.network()
                        .line(site.party().host().name(), server.host().name()))));
        long lasts = length;
        switch (blow.fault()) {
            case MESSAGE_LOSS -> {
                lines.accept(line -> line.vanish += 1 + dice.below(3));
                lasts = 12_000 * MS;
            }
            case SLOW_NETWORK -> {
                long slow = dice.pick(10 * MS, 60 * MS, timeout / 2, timeout, 2 * timeout);
                lines.accept(line -> {
                    line.slowUntil = now + 3 * length;
                    line.slowNanos = slow;
                });
                scene.hits().hit(31);
                lasts = 3 * length + 2 * timeout + lease;
            }
            case SLOW_THEN_PARTITION -> {
                long slow = dice.pick(lease / 10, timeout / 2);
                lines.accept(line -> {
                    line.slowUntil = now + lease;
                    line.slowNanos = slow;
                });
                scene.world()
                        .after(
                                dice.below(lease),
                                () -> lines.accept(line -> {
                                    line.upBlockedUntil = scene.world().now() + 2 * lease;
                                    line.downBlockedUntil = scene.world().now() + 2 * lease;
                                }));
                lasts = 4 * lease;
            }
            case CONNECTIONS_BREAK_HERE -> {
                for (int i = 0; i < 6; i++) {
                    long slowFor = 1 + dice.below(timeout / 4);
                    long slow = dice.pick(timeout / 3, timeout * 3 / 4);
                    scene.world().after(dice.below(2 * length), () -> {
                        lines.accept(line -> {
                            line.slowUntil = scene.world().now() + slowFor;
                            line.slowNanos = slow;
                        });
                        scene.world()
                                .after(
                                        slowFor,
                                        () -> sites.forEach(site -> victims.forEach(server -> server.breakAtClient(
                                                site.party().host().name()))));
                    });
                }
                lasts = 2 * length + lease + 8_000 * MS;
            }
            case DUPLICATES -> {
                long within = dice.pick(10 * MS, timeout, 3 * timeout);
                lines.accept(line -> {
                    line.twiceUntil = now + length;
                    line.twiceWithinNanos = within;
                });
                lasts = length + 3 * timeout + lease + 8_000 * MS;
            }
            case PARTITION ->
                lines.accept(line -> {
                    line.upBlockedUntil = now + length;
                    line.downBlockedUntil = now + length;
                });
            case ONE_WAY_PARTITION -> {
                boolean up = dice.oneIn(2);
                lines.accept(line -> {
                    if (up) {
                        line.upBlockedUntil = now + length;
                    } else {
                        line.downBlockedUntil = now + length;
                    }
                });
                lasts = length + lease;
            }
            case CONNECTIONS_RESET -> {
                for (Server server : victims) {
                    for (Site site : sites) {
                        if (server.resetAll(site.party().host().name()) > 0) {
                            scene.hits().hit(22);
                        }
                    }
                }
                lasts = lease;
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
        for (Server server : victims) {
            inTrouble(server, lasts);
        }
    }

    // --- servers

    private void server(Director.Blow blow, Server server) {
        Dice dice = blow.dice();
        long length = blow.length();
        long lease = scene.setup().leaseMillis() * MS;
        String key = Scene.PREFIX + blow.name();
        switch (blow.fault()) {
            case SERVER_CLOCK_FORWARD -> {
                scene.hits().hit(10);
                server.host().stepWall(dice.between(1, 8_000) * MS);
                outside(server, 8_000 * MS);
            }
            case SERVER_CLOCK_BACK -> {
                scene.hits().hit(11);
                long back = dice.between(1, 8_000) * MS;
                server.host().stepWall(-back);
                scene.stage().lookout().setBack(back);
                outside(server, back + 10_000 * MS);
            }
            case ACCESS_REVOKED -> mood(server, ServerMood.NOPERM, length);
            case SERVER_ERRORS ->
                mood(
                        server,
                        dice.pick(ServerMood.READONLY, ServerMood.LOADING, ServerMood.BUSY, ServerMood.MISCONF),
                        length);
            case OUT_OF_MEMORY -> mood(server, ServerMood.OOM, length);
            case SERVER_RESTART -> restart(server, length, server::restart, 0);
            case SERVER_RESTART_EMPTY -> restart(server, dice.oneIn(3) ? 1 : length, server::restartEmpty, 27);
            case SERVER_RESTART_OLD -> {
                long age = dice.between(100, 3_000) * MS;
                restart(server, length, () -> server.restartFromSnapshot(age), 28);
            }
            case SERVER_SLEEP -> {
                if (length > lease && !server.host().isAsleep()) {
                    scene.hits().hit(37);
                }
                server.host().sleep(length, false);
                inTrouble(server, length + lease);
            }
            case FLUSHALL -> {
                server.byHand("FLUSHALL");
                outside(server, lease);
            }
            case DELETED_BY_HAND -> {
                if (Long.valueOf(1).equals(server.byHand("DEL", key))) {
                    scene.hits().hit(32);
                }
                outside(server, lease);
            }
            case EVICTION -> {
                String victim = dice.pick(
                        key,
                        Scene.PREFIX + "~queue:{" + key + "}",
                        Scene.PREFIX + "~turn:{" + key + "}",
                        Scene.PREFIX + "~fence");
                if (Long.valueOf(1).equals(server.byHand("DEL", victim))) {
                    scene.hits().hit(33);
                }
                if (victim.equals(key)) {
                    outside(server, lease);
                } else {
                    scene.auditor().counterLost();
                    inTrouble(server, 8_000 * MS);
                }
            }
            case SCRIPT_FLUSH -> {
                server.byHand("SCRIPT", "FLUSH");
                inTrouble(server, 0);
            }
            case FOREIGN_VALUE -> {
                server.byHand("SET", key, "somebody", "NX", "PX", Long.toString(length / MS + 1));
                inTrouble(server, length);
            }
            case KEY_WITHOUT_EXPIRY -> {
                if (server.model().value(key) == null) {
                    server.byHand("SET", key, ServerFaults.STRAY, "NX");
                    scene.world().after(length, () -> ServerFaults.heal(scene, server));
                }
                inTrouble(server, length);
            }
            case HIGH_COUNTER -> {
                // Half a minute ahead: whoever comes next goes on from there.
                server.byHand(
                        "SET",
                        Scene.PREFIX + "~fence",
                        Long.toString(server.host().wallMicros() + 30_000_000));
                inTrouble(server, 0);
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
    }

    /** A clock was stepped, or state was lost behind a running server's back: leases may overlap, tokens still rise. */
    private void outside(Server server, long nanos) {
        scene.auditor().excuseAll();
        scene.auditor().counterLost();
        inTrouble(server, nanos + scene.setup().longestLeaseNanos());
    }

    private void mood(Server server, ServerMood mood, long length) {
        server.model().setMood(mood);
        scene.world().after(length, () -> server.model().setMood(ServerMood.NORMAL));
        inTrouble(server, length + scene.setup().leaseMillis() * MS);
    }

    private void restart(Server server, long length, Runnable how, int fault) {
        if (!server.isUp()) {
            return;
        }
        server.crash();
        // A server tells whole seconds, of which it counts one less; and clocks differ.
        long young = scene.setup().maxLeaseMillis() * MS * 102 / 100 + 2_500 * MS;
        inTrouble(server, length + young);
        scene.world().after(length, () -> {
            how.run();
            scene.hits().hit(29);
            if (fault > 0) {
                scene.hits().hit(fault);
                scene.auditor().counterLost();
            }
        });
    }
}
