package io.holdfast.simulation.load;

import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Fiber;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What befalls a client: its machine, its clocks, its threads. */
final class ClientFaults {
    private static final long MS = 1_000_000L;

    private final Map<String, Long> setBack = new HashMap<>();
    private final Map<String, Long> suspended = new HashMap<>();

    private final Scene scene;
    private final Director director;

    ClientFaults(Scene scene, Director director) {
        this.scene = scene;
        this.director = director;
    }

    void happen(Director.Blow blow) {
        Dice dice = blow.dice();
        Site site = blow.site();
        Party party = blow.site().party();
        long now = scene.world().now();
        long lease = scene.setup().leaseMillis() * MS;
        long length = blow.length();
        scene.stage()
                .clientInTrouble(
                        party.host().name(),
                        now + length + lease + 3 * scene.setup().timeoutMillis() * MS);
        switch (blow.fault()) {
            case CLIENT_PAUSE -> pause(party, length);
            case CLIENT_PAUSE_AMID_REQUEST -> pauseAmidRequest(party, length, 400);
            case CLIENT_SUSPEND -> {
                if (Peek.held(party.engine()) > 0 && !party.host().isAsleep()) {
                    scene.hits().hit(8);
                }
                party.host().sleep(length, true);
                clocksFooled(party, length);
            }
            case RENEWAL_STALL -> {
                if (Peek.held(party.engine()) > 0) {
                    scene.hits().hit(4);
                }
                party.platform().stall("renewal", length + lease);
                director.disturbed(length + lease);
            }
            case WALL_JUMP -> {
                scene.hits().hit(7);
                boolean back = dice.oneIn(2);
                party.host().stepWall(back ? -3_600_000 * MS : 3_600_000 * MS);
                if (back) {
                    setBack.put(party.host().name(), now);
                    clocksFooled(party, 0);
                }
            }
            case INTERRUPT -> interrupt(dice, site, 0);
            case INTERRUPT_AT_PARK -> interrupt(dice, site, 1 + dice.below(6));
            case CLOSE -> close(blow);
            case CLIENT_CRASH -> {
                if (Peek.held(party.engine()) > 0) {
                    scene.hits().hit(54);
                    if (scene.isAnybodyWaiting()) {
                        scene.hits().hit(43);
                    }
                }
                if (!Peek.waiting(party.engine()).isEmpty()) {
                    scene.hits().hit(48);
                }
                site.crash(length);
                director.disturbed(length + lease + 8_000 * MS);
            }
            case THREAD_DIES -> {
                if (!site.actors.isEmpty()) {
                    dice.pick(site.actors).dies = true;
                }
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
    }

    /** No clock of a host that was suspended and set back within one lease tells how much time has passed. */
    private void clocksFooled(Party party, long length) {
        long now = scene.world().now();
        String host = party.host().name();
        if (length > 0) {
            suspended.put(host, now + length);
        }
        long longest = scene.setup().longestLeaseNanos();
        if (suspended.getOrDefault(host, -2 * longest) > now - longest
                && setBack.getOrDefault(host, -2 * longest) > now - longest) {
            scene.auditor().excuseAll();
        }
    }

    private void pause(Party party, long length) {
        if (Peek.underWay(party.engine()) > 0 && !party.host().isAsleep()) {
            scene.hits().hit(2);
        }
        party.host().sleep(length, false);
    }

    /** Pauses the client while a request of its is on its way. */
    private void pauseAmidRequest(Party party, long length, int tries) {
        if (Peek.underWay(party.engine()) > 0 || tries == 0) {
            pause(party, length);
        } else {
            scene.world().after(50_000, () -> pauseAmidRequest(party, length, tries - 1));
            director.disturbed(length);
        }
    }

    private void interrupt(Dice dice, Site site, int parks) {
        if (site.actors.isEmpty()) {
            return;
        }
        Fiber fiber = dice.pick(site.actors).fiber();
        if (fiber == null || fiber.isDone()) {
            return;
        }
        if (parks == 0) {
            fiber.interrupt();
        } else {
            fiber.interruptIn(parks);
        }
    }

    private void close(Director.Blow blow) {
        Site site = blow.site();
        Party party = site.party();
        if (Peek.held(party.engine()) > 0 || !Peek.waiting(party.engine()).isEmpty()) {
            scene.hits().hit(47);
        }
        String client = Peek.clientId(party.engine());
        director.disturbed(2_000 * MS + 4 * scene.setup().timeoutMillis() * MS);
        int before = director.happened();
        Set<String> lostBefore = scene.auditor().lost();
        site.close(() -> {
            if (director.happened() != before
                    || !blow.calm()
                    || scene.setup().copied()
                    || scene.stage().servers().stream()
                            .anyMatch(server -> !server.isUp() || server.host().isAsleep())) {
                return;
            }
            for (String name : scene.setup().everyName()) {
                for (Server server : scene.stage().servers()) {
                    String value = server.model().value(Scene.PREFIX + name);
                    if (value != null
                            && value.startsWith("hf1:" + client + ":")
                            && !lostBefore.contains(value.substring(4, value.lastIndexOf(':')))) {
                        throw new Violation(
                                "H1", "the closed client " + client + " has left the lock " + name + ": " + value);
                    }
                }
            }
        });
    }
}
