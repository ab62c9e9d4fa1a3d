package io.holdfast.simulation.load;

import io.holdfast.LockException;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Fiber;
import java.util.List;

/** Somebody who takes a lock from its holder by force, with one of the clients. */
final class Operator {
    private static final int MOST_LOOKS = 400;
    private static final long LOOK_NANOS = 400_000L;
    private static final long SLOW_NANOS = 3_000_000L;

    /** Whom it takes a lock from. */
    private enum Victim {
        ANYBODY,
        /** One that does not know yet that it has been given it. */
        NEWCOMER,
        /** One whose client has others that wait. */
        CONTENDED
    }

    private final Scene scene;

    Operator(Scene scene) {
        this.scene = scene;
    }

    void happen(Director.Blow blow) {
        // A client and its copy have the same ids: one of them would be told of what the other has lost.
        if (!scene.setup().copied()) {
            Dice dice = blow.dice();
            String name = dice.oneIn(3) ? dice.pick(scene.setup().everyName()) : blow.name();
            Victim victim = dice.pick(Victim.values());
            if (dice.oneIn(2) && !scene.setup().topology().hasSockets()) {
                slow(blow.site().party());
            }
            look(dice, blow.site(), name, victim, MOST_LOOKS);
        }
    }

    /** What others are told is late, so that news and answers overtake each other. */
    private void slow(Party own) {
        for (Party party : scene.parties()) {
            Network.Line line = scene.network().line(party.host().name());
            if (!party.equals(own) && line.slowUntil <= scene.world().now()) {
                line.slowUntil = scene.world().now() + MOST_LOOKS * LOOK_NANOS;
                line.slowNanos = SLOW_NANOS;
            }
        }
    }

    /** Until such a one has it; and if there is none, until anybody has. */
    private void look(Dice dice, Site site, String name, Victim victim, int looks) {
        Party party = site.party();
        if (party.host().isDead() || party.platform().isClosed() || looks == 0) {
            return;
        }
        List<String> holders = scene.stage().truth().holders(name).stream()
                .filter(owner -> isMeant(name, owner, looks < MOST_LOOKS / 4 ? Victim.ANYBODY : victim))
                .toList();
        if (holders.isEmpty()) {
            scene.world().after(1 + dice.below(LOOK_NANOS), () -> look(dice, site, name, victim, looks - 1));
            return;
        }
        String owner = dice.pick(holders);
        // To look takes several answers, for each of which its thread waits.
        boolean looksFirst = scene.setup().blocking() && dice.oneIn(2);
        scene.auditor().mayBeTaken(name, owner);
        Fiber fiber = scene.world()
                .start(party.host(), party.host().name() + "/operator", () -> take(party, name, owner, looksFirst));
        fiber.mayBlock(!scene.setup().virtual());
    }

    private boolean isMeant(String name, String owner, Victim victim) {
        return switch (victim) {
            case ANYBODY -> true;
            case NEWCOMER -> scene.parties().stream().noneMatch(party -> Peek.holds(party.engine(), owner));
            case CONTENDED ->
                scene.parties().stream()
                        .anyMatch(party -> Peek.holds(party.engine(), owner) && Peek.isContended(party.engine(), name));
        };
    }

    /** @param looksFirst whether the lock is looked at once more before it is taken, as an application's call does */
    private void take(Party party, String name, String owner, boolean looksFirst) {
        String what = name + " from " + owner;
        try {
            boolean taken =
                    looksFirst ? party.engine().forceRelease(name, owner) : Peek.expel(party.engine(), name, owner);
            scene.world().trace().add(party.host().name(), taken ? "has taken by force:" : "did not take:", what);
        } catch (LockException e) {
            scene.world().trace().add(party.host().name(), "does not know whether it has taken:", what);
        }
    }
}
