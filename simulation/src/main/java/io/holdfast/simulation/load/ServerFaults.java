package io.holdfast.simulation.load;

import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.Dice;
import java.util.Objects;

/** What befalls the server: its process, its clock, its memory. */
final class ServerFaults {
    private static final long MS = 1_000_000L;
    static final String STRAY = "stray";
    /** Ten thousand below the last number that Lua can count to. */
    private static final String HIGH = "9007199254730991";

    private final Scene scene;
    private final Director director;

    ServerFaults(Scene scene, Director director) {
        this.scene = scene;
        this.director = director;
    }

    void happen(Director.Blow blow) {
        Dice dice = blow.dice();
        long length = blow.length();
        String name = blow.name();
        String key = Scene.PREFIX + name;
        switch (blow.fault()) {
            case SERVER_CLOCK_FORWARD -> {
                scene.hits().hit(10);
                scene.server().host().stepWall(dice.between(1, 8_000) * MS);
                stateLost();
            }
            case SERVER_CLOCK_BACK -> {
                scene.hits().hit(11);
                long back = dice.between(1, 8_000) * MS;
                scene.server().host().stepWall(-back);
                scene.liveness().setBack(back);
                stateLost();
                director.disturbed(back + 10_000 * MS);
            }
            case ACCESS_REVOKED -> mood(ServerMood.NOPERM, length);
            case SERVER_ERRORS ->
                mood(dice.pick(ServerMood.READONLY, ServerMood.LOADING, ServerMood.BUSY, ServerMood.MISCONF), length);
            case OUT_OF_MEMORY -> mood(ServerMood.OOM, length);
            case SERVER_RESTART -> restart(length, scene.server()::restart, false, 0);
            case SERVER_RESTART_EMPTY -> restart(length, scene.server()::restartEmpty, true, 27);
            case SERVER_RESTART_OLD ->
                restart(length, () -> scene.server().restartFromSnapshot(dice.between(100, 3_000) * MS), true, 28);
            case SERVER_SLEEP -> {
                if (length > scene.setup().leaseMillis() * MS
                        && !scene.server().host().isAsleep()) {
                    scene.hits().hit(37);
                }
                scene.server().host().sleep(length, false);
            }
            case FLUSHALL -> {
                if (scene.server().model().value(key) != null) {
                    scene.hits().hit(32);
                }
                scene.server().byHand("FLUSHALL");
                stateLost();
            }
            case DELETED_BY_HAND -> {
                if (Long.valueOf(1).equals(scene.server().byHand("DEL", key))) {
                    scene.hits().hit(32);
                }
                scene.auditor().excuse(name);
            }
            case EVICTION -> evict(dice, name);
            case SCRIPT_FLUSH -> scene.server().byHand("SCRIPT", "FLUSH");
            case FOREIGN_VALUE -> {
                String value = dice.oneIn(3) ? "somebody" : "hf9:x:1";
                scene.server().byHand("SET", key, value, "NX", "PX", Long.toString(length / MS + 1));
            }
            case KEY_WITHOUT_EXPIRY -> {
                if (scene.server().model().value(key) == null) {
                    scene.server().byHand("SET", key, STRAY, "NX");
                    scene.world().after(length, director::heal);
                }
            }
            case HIGH_COUNTER -> {
                String counter = scene.server().model().value(Scene.PREFIX + "~fence");
                if (counter == null || counter.compareTo(HIGH) < 0) {
                    scene.server().byHand("SET", Scene.PREFIX + "~fence", HIGH);
                }
            }
            case FAILOVER -> {
                if (scene.server().isUp()) {
                    String before = scene.server().model().value(key);
                    scene.server().failover(dice.between(-50, 50) * MS);
                    scene.hits().hit(12);
                    if (!Objects.equals(before, scene.server().model().value(key))) {
                        scene.hits().hit(24);
                    }
                    stateLost();
                }
            }
            default -> throw new IllegalArgumentException(blow.fault() + " is not of this kind");
        }
    }

    private void stateLost() {
        scene.auditor().excuseAll();
        scene.latches().stateLost();
        scene.auditor().counterLost(scene.highestToken());
        director.disturbed(scene.setup().longestLeaseNanos() + 8_000 * MS);
    }

    private void mood(ServerMood mood, long length) {
        scene.server().model().setMood(mood);
        scene.world().after(length, () -> scene.server().model().setMood(ServerMood.NORMAL));
    }

    private void restart(long length, Runnable how, boolean forgets, int fault) {
        if (!scene.server().isUp()) {
            return;
        }
        scene.server().crash();
        scene.world().after(length, () -> {
            how.run();
            if (forgets) {
                scene.hits().hit(fault);
                stateLost();
            }
        });
    }

    private void evict(Dice dice, String name) {
        String lock = Scene.PREFIX + name;
        String victim = dice.pick(
                lock,
                Scene.PREFIX + "~queue:{" + lock + "}",
                Scene.PREFIX + "~tickets:{" + lock + "}",
                Scene.PREFIX + "~fence");
        if (Long.valueOf(1).equals(scene.server().byHand("DEL", victim))) {
            scene.hits().hit(33);
        }
        if (victim.equals(lock)) {
            scene.auditor().excuse(name);
        }
        scene.auditor().counterLost(scene.highestToken());
        director.disturbed(8_000 * MS);
    }
}
