package io.holdfast.simulation.load;

import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Fiber;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lets the faults happen that the seed has drawn, and ends them. */
public final class Director {
    private static final String STRAY = "stray";
    private static final long MS = 1_000_000L;
    /** Ten thousand below the last number that Lua can count to. */
    private static final String HIGH = "9007199254730991";

    private final Scene scene;
    private final List<Setup.Planned> left;
    private long disturbedUntil;
    private int pending;
    private final Map<String, Long> setBack = new HashMap<>();
    private final Map<String, Long> suspended = new HashMap<>();
    private boolean quiet = true;
    private int happened;

    Director(Scene scene) {
        this.scene = scene;
        this.left = new ArrayList<>(scene.setup().faults());
        left.removeIf(planned -> !scene.mask().keepsFault(planned.index()));
    }

    /** Before the first fault. */
    boolean isQuietSoFar() {
        return quiet;
    }

    /** When what the faults have done must be over. */
    public long disturbedUntil() {
        return disturbedUntil;
    }

    /** Whether every fault has happened. */
    public boolean isDone() {
        return left.isEmpty() && pending == 0;
    }

    void called(int calls) {
        left.removeIf(planned -> {
            if (planned.afterCalls() > calls) {
                return false;
            }
            pending++;
            scene.world().after(planned.delayNanos(), () -> {
                pending--;
                happen(planned);
            });
            return true;
        });
    }

    /** Lets the rest happen now: nobody calls any more. */
    public void hurry() {
        called(Integer.MAX_VALUE);
    }

    /** Ends everything that still lasts. */
    public void heal() {
        scene.network().heal();
        server().model().setMood(ServerMood.NORMAL);
        for (String name : scene.setup().names()) {
            if (STRAY.equals(server().model().value(Scene.PREFIX + name))) {
                server().byHand("DEL", Scene.PREFIX + name);
            }
        }
    }

    private Server server() {
        return scene.server();
    }

    /** Often one that holds a lock: there is more to break. */
    private Site site(Dice dice) {
        List<Site> holders = scene.sites().stream()
                .filter(site -> Peek.held(site.party().engine()) > 0)
                .toList();
        return holders.isEmpty() || dice.oneIn(2) ? dice.pick(scene.sites()) : dice.pick(holders);
    }

    private void disturbed(long nanos) {
        long recovery = 2_000 * MS + 3 * scene.setup().timeoutMillis() * MS;
        disturbedUntil = Math.max(disturbedUntil, scene.world().now() + nanos + recovery);
    }

    private void happen(Setup.Planned planned) {
        Dice dice = Dice.of(scene.setup().seed(), 8, planned.index());
        Site site = site(dice);
        Party party = site.party();
        if (party.host().isDead()) {
            return; // its successor is not there yet
        }
        Network.Line line = scene.network().line(party.host().name());
        long now = scene.world().now();
        long lease = scene.setup().leaseMillis() * MS;
        long timeout = scene.setup().timeoutMillis() * MS;
        long length = dice.pick(timeout / 2, timeout * 2, lease / 2, lease, 2 * lease);
        String name = dice.pick(scene.setup().names());
        String key = Scene.PREFIX + name;
        quiet = false;
        happened++;
        scene.world().trace().add("fault", planned.fault() + " " + party.host().name() + " " + name, length);
        boolean calm = now > disturbedUntil;
        disturbed(length);
        switch (planned.fault()) {
            case CLIENT_PAUSE -> pause(party, length);
            case CLIENT_PAUSE_AMID_REQUEST -> pauseAmidRequest(party, length, 400);
            case CLIENT_SUSPEND -> {
                scene.hits().hit(8);
                party.host().sleep(length, true);
                clocksFooled(party, length);
            }
            case RENEWAL_STALL -> {
                if (Peek.held(party.engine()) > 0) {
                    scene.hits().hit(4);
                }
                party.platform().stall("renewal", length + lease);
                disturbed(length + lease);
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
            case SERVER_CLOCK_FORWARD -> {
                scene.hits().hit(10);
                server().host().stepWall(dice.between(1, 8_000) * MS);
                stateLost();
            }
            case SERVER_CLOCK_BACK -> {
                scene.hits().hit(11);
                long back = dice.between(1, 8_000) * MS;
                server().host().stepWall(-back);
                stateLost();
                disturbed(back + 10_000 * MS);
            }
            case MESSAGE_LOSS -> {
                line.vanish += 1 + dice.below(3);
                disturbed(12_000 * MS);
            }
            case SLOW_NETWORK -> {
                line.slowUntil = now + 3 * length;
                line.slowNanos = dice.pick(timeout / 2, timeout, 2 * timeout);
                disturbed(3 * length + 2 * timeout);
            }
            case SLOW_THEN_PARTITION -> {
                // The answer to a renewal is late, and it is the last for a while.
                line.slowUntil = now + lease;
                line.slowNanos = dice.pick(lease / 10, timeout / 2);
                scene.world().after(dice.below(lease), () -> {
                    line.upBlockedUntil = scene.world().now() + 2 * lease;
                    line.downBlockedUntil = scene.world().now() + 2 * lease;
                });
                disturbed(4 * lease);
            }
            case CONNECTIONS_BREAK_HERE -> {
                // The client hears of a break, and what it has sent arrives later all the same.
                line.slowUntil = now + 2 * length;
                line.slowNanos = timeout / 2;
                for (int i = 0; i < 6; i++) {
                    scene.world()
                            .after(
                                    dice.below(2 * length),
                                    () -> server().breakAtClient(party.host().name()));
                }
                disturbed(2 * length + lease + 8_000 * MS);
            }
            case DUPLICATES -> {
                line.twiceUntil = now + length;
                line.twiceWithinNanos = dice.pick(10 * MS, timeout, 3 * timeout);
                // A second acquire may take the lock or a ticket for somebody who has left; it ends by itself.
                disturbed(length + 3 * timeout + lease + 8_000 * MS);
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
                scene.hits().hit(22);
                server().resetAll(dice.oneIn(2) ? party.host().name() : null);
            }
            case ACCESS_REVOKED -> mood(ServerMood.NOPERM, 23, length);
            case SERVER_ERRORS ->
                mood(
                        dice.pick(ServerMood.READONLY, ServerMood.LOADING, ServerMood.BUSY, ServerMood.MISCONF),
                        26,
                        length);
            case OUT_OF_MEMORY -> mood(ServerMood.OOM, 34, length);
            case SERVER_RESTART -> restart(length, server()::restart, false);
            case SERVER_RESTART_EMPTY -> {
                scene.hits().hit(27);
                restart(length, server()::restartEmpty, true);
            }
            case SERVER_RESTART_OLD -> {
                scene.hits().hit(28);
                restart(length, () -> server().restartFromSnapshot(dice.between(100, 3_000) * MS), true);
            }
            case SERVER_SLEEP -> {
                scene.hits().hit(37);
                server().host().sleep(length, false);
            }
            case FLUSHALL -> {
                scene.hits().hit(32);
                server().byHand("FLUSHALL");
                stateLost();
            }
            case DELETED_BY_HAND -> {
                scene.hits().hit(32);
                server().byHand("DEL", key);
                scene.auditor().excuse(name);
            }
            case EVICTION -> evict(dice, name);
            case SCRIPT_FLUSH -> server().byHand("SCRIPT", "FLUSH");
            case FOREIGN_VALUE -> {
                scene.hits().hit(dice.oneIn(2) ? 39 : 40);
                server().byHand(
                                "SET",
                                key,
                                dice.oneIn(2) ? "somebody" : "hf9:x:1",
                                "NX",
                                "PX",
                                Long.toString(length / MS + 1));
            }
            case KEY_WITHOUT_EXPIRY -> {
                scene.hits().hit(39);
                if (server().model().value(key) == null) {
                    server().byHand("SET", key, STRAY, "NX");
                    scene.world().after(length, this::heal);
                }
            }
            case HIGH_COUNTER -> {
                scene.hits().hit(58);
                String counter = server().model().value(Scene.PREFIX + "~fence");
                if (counter == null || counter.compareTo(HIGH) < 0) {
                    server().byHand("SET", Scene.PREFIX + "~fence", HIGH);
                }
            }
            case INTERRUPT -> interrupt(dice, site, 0);
            case INTERRUPT_AT_PARK -> interrupt(dice, site, 1 + dice.below(6));
            case CLOSE -> close(site, calm);
            case CLIENT_CRASH -> {
                if (Peek.held(party.engine()) > 0) {
                    scene.hits().hit(54);
                    scene.hits().hit(43);
                }
                if (!Peek.waiting(party.engine()).isEmpty()) {
                    scene.hits().hit(48);
                }
                site.crash(length);
                disturbed(length + lease + 8_000 * MS);
            }
            case THREAD_DIES -> {
                if (!site.actors.isEmpty()) {
                    dice.pick(site.actors).dies = true;
                }
            }
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
            scene.auditor().excuseClocks();
        }
    }

    private void pause(Party party, long length) {
        if (Peek.underWay(party.engine()) > 0) {
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
            disturbed(length);
        }
    }

    private void stateLost() {
        scene.auditor().excuseAll();
        scene.auditor().counterLost();
        disturbed(scene.setup().longestLeaseNanos() + 8_000 * MS);
    }

    private void mood(ServerMood mood, int fault, long length) {
        scene.hits().hit(fault);
        server().model().setMood(mood);
        scene.world().after(length, () -> server().model().setMood(ServerMood.NORMAL));
    }

    private void restart(long length, Runnable how, boolean forgets) {
        if (!server().isUp()) {
            return;
        }
        server().crash();
        scene.world().after(length, () -> {
            how.run();
            if (forgets) {
                stateLost();
            }
        });
    }

    private void evict(Dice dice, String name) {
        scene.hits().hit(33);
        String lock = Scene.PREFIX + name;
        String victim = dice.pick(
                lock,
                Scene.PREFIX + "~queue:{" + lock + "}",
                Scene.PREFIX + "~tickets:{" + lock + "}",
                Scene.PREFIX + "~fence");
        server().byHand("DEL", victim);
        if (victim.equals(lock)) {
            scene.auditor().excuse(name);
        }
        scene.auditor().counterLost();
        disturbed(8_000 * MS);
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

    private void close(Site site, boolean calm) {
        Party party = site.party();
        scene.hits().hit(47);
        String client = Peek.clientId(party.engine());
        disturbed(2_000 * MS + 4 * scene.setup().timeoutMillis() * MS);
        int before = happened;
        site.close(() -> {
            if (happened != before
                    || !calm
                    || scene.setup().copied()
                    || !server().isUp()
                    || server().host().isAsleep()) {
                return;
            }
            for (String name : scene.setup().names()) {
                String value = server().model().value(Scene.PREFIX + name);
                if (value != null && value.startsWith("hf1:" + client + ":")) {
                    throw new Violation(
                            "H1", "the closed client " + client + " has left the lock " + name + ": " + value);
                }
            }
        });
    }
}
