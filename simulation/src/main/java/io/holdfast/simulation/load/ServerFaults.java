package io.holdfast.simulation.load;

import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.Dice;
import java.util.Objects;
import java.util.function.Function;

/** What befalls the server: its process, its clock, its memory. */
final class ServerFaults {
    private static final long MS = 1_000_000L;
    static final String STRAY = "stray";
    /** Ten thousand below the last number that Lua can count to. */
    private static final String HIGH = "9007199254730991";

    private final Scene scene;
    private final Function<String, String> counter;

    /**
     * On servers of which each has whole locks.
     *
     * @param counter the key that the tokens of a lock are counted at
     */
    ServerFaults(Scene scene, Function<String, String> counter) {
        this.scene = scene;
        this.counter = counter;
    }

    /** Ends what lasts on a server. */
    static void heal(Scene scene, Server server) {
        server.model().setMood(ServerMood.NORMAL);
        for (String name : scene.setup().names()) {
            if (STRAY.equals(server.model().value(Scene.PREFIX + name))) {
                server.byHand("DEL", Scene.PREFIX + name);
            }
        }
    }

    void happen(Director.Blow blow, Server server) {
        Dice dice = blow.dice();
        long length = blow.length();
        String name = blow.name();
        String key = Scene.PREFIX + name;
        switch (blow.fault()) {
            case SERVER_CLOCK_FORWARD -> {
                scene.hits().hit(10);
                server.host().stepWall(dice.between(1, 8_000) * MS);
                stateLost();
            }
            case SERVER_CLOCK_BACK -> {
                scene.hits().hit(11);
                long back = dice.between(1, 8_000) * MS;
                server.host().stepWall(-back);
                scene.stage().lookout().setBack(back);
                stateLost();
                scene.director().disturbed(back + 10_000 * MS);
            }
            case ACCESS_REVOKED -> mood(server, ServerMood.NOPERM, length);
            case SERVER_ERRORS ->
                mood(
                        server,
                        dice.pick(ServerMood.READONLY, ServerMood.LOADING, ServerMood.BUSY, ServerMood.MISCONF),
                        length);
            case OUT_OF_MEMORY -> mood(server, ServerMood.OOM, length);
            case SERVER_RESTART -> restart(server, length, server::restart, false, 0);
            case SERVER_RESTART_EMPTY -> restart(server, length, server::restartEmpty, true, 27);
            case SERVER_RESTART_OLD ->
                restart(server, length, () -> server.restartFromSnapshot(dice.between(100, 3_000) * MS), true, 28);
            case SERVER_SLEEP -> {
                if (length > scene.setup().leaseMillis() * MS && !server.host().isAsleep()) {
                    scene.hits().hit(37);
                }
                server.host().sleep(length, false);
            }
            case FLUSHALL -> {
                if (server.model().value(key) != null) {
                    scene.hits().hit(32);
                }
                server.byHand("FLUSHALL");
                stateLost();
            }
            case DELETED_BY_HAND -> {
                if (Long.valueOf(1).equals(server.byHand("DEL", key))) {
                    scene.hits().hit(32);
                }
                scene.auditor().excuse(name);
            }
            case EVICTION -> evict(server, dice, name);
            case SCRIPT_FLUSH -> server.byHand("SCRIPT", "FLUSH");
            case FOREIGN_VALUE -> {
                String value = dice.oneIn(3) ? "somebody" : "hf9:x:1";
                server.byHand("SET", key, value, "NX", "PX", Long.toString(length / MS + 1));
            }
            case KEY_WITHOUT_EXPIRY -> {
                if (server.model().value(key) == null) {
                    server.byHand("SET", key, STRAY, "NX");
                    scene.world().after(length, scene.director()::heal);
                }
            }
            case HIGH_COUNTER -> {
                String counted = server.model().value(counter.apply(name));
                if (counted == null || counted.compareTo(HIGH) < 0) {
                    server.byHand("SET", counter.apply(name), HIGH);
                }
            }
            case FAILOVER -> {
                if (server.isUp()) {
                    String before = server.model().value(key);
                    server.failover(dice.between(-50, 50) * MS);
                    scene.hits().hit(12);
                    if (!Objects.equals(before, server.model().value(key))) {
                        scene.hits().hit(24);
                    }
                    stateLost();
                }
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
    }

    /** What the server had is lost, or its clock was stepped. */
    void stateLost() {
        scene.auditor().excuseAll();
        scene.latches().stateLost();
        scene.auditor().counterLost();
        scene.director().disturbed(scene.setup().longestLeaseNanos() + 8_000 * MS);
    }

    private void mood(Server server, ServerMood mood, long length) {
        server.model().setMood(mood);
        scene.world().after(length, () -> server.model().setMood(ServerMood.NORMAL));
    }

    private void restart(Server server, long length, Runnable how, boolean forgets, int fault) {
        if (!server.isUp()) {
            return;
        }
        server.crash();
        scene.world().after(length, () -> {
            how.run();
            if (forgets) {
                scene.hits().hit(fault);
                stateLost();
            }
        });
    }

    private void evict(Server server, Dice dice, String name) {
        String lock = Scene.PREFIX + name;
        String victim = dice.pick(
                lock,
                Scene.PREFIX + "~queue:{" + lock + "}",
                Scene.PREFIX + "~tickets:{" + lock + "}",
                counter.apply(name));
        if (Long.valueOf(1).equals(server.byHand("DEL", victim))) {
            scene.hits().hit(33);
        }
        if (victim.equals(lock)) {
            scene.auditor().excuse(name);
        } else if (!victim.equals(counter.apply(name))) {
            scene.auditor().queueLost(name);
        }
        scene.auditor().counterLost();
        scene.director().disturbed(8_000 * MS);
    }
}
