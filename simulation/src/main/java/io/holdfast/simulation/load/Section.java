package io.holdfast.simulation.load;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.internal.NamedLock;
import io.holdfast.internal.Order;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.world.Dice;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What an application does while it has a lock, and at its end. */
final class Section {
    private final Scene scene;
    private final Actor actor;
    private final Party party;
    private final Dice dice;
    private final Before before;

    /**
     * What was known before an acquire was called.
     *
     * @param floor the highest token that anybody had been given
     * @param called the moment of the call
     * @param fair whether it was to be served strictly in the order of coming
     * @param share how much of the lock was asked for
     */
    record Before(long floor, long called, boolean fair, Share share) {}

    Section(Scene scene, Actor actor, Party party, Dice dice, Before before) {
        this.scene = scene;
        this.actor = actor;
        this.party = party;
        this.dice = dice;
        this.before = before;
    }

    private void obtained(Peek.Belief belief) {
        obtained(belief, before.share(), before.floor(), before.called());
    }

    private void obtained(Peek.Belief belief, Share share, long floor, long called) {
        scene.journal().granted("actor " + actor.number(), belief.name(), share, belief.token(), called);
        scene.auditor().acquired(party, belief, floor, before.fair(), share);
    }

    /** Readers write nothing, and permits do not protect what is written. */
    private void writes(Peek.Belief belief, boolean valid) {
        if (before.share().isWhole()) {
            scene.auditor().writes(party, belief.name(), belief.token(), valid);
        }
    }

    /** Works under a lock that the thread has, if it has it. False if the thread died in it. */
    boolean asThread(NamedLock lock, boolean got) {
        return !got || asThread(lock, dice.below(4));
    }

    /** As above, for a moment only. */
    boolean briefly(NamedLock lock, boolean got) {
        return !got || asThread(lock, 0);
    }

    private boolean asThread(NamedLock lock, int works) {
        Peek.Belief belief = Peek.heldHere(lock);
        if (belief == null) {
            throw new Violation("I7", "the lock was obtained, and the thread does not hold it");
        }
        obtained(belief);
        for (int i = 0; i < works; i++) {
            work(belief, lock);
            if (actor.diesNow()) {
                scene.hits().hit(53);
                scene.world().trace().add(party.host().name(), "thread dies with", belief.owner());
                return false;
            }
        }
        if (scene.setup().readWrite() && before.share().isWhole() && dice.oneIn(3)) {
            downgrade(belief, lock);
            return true;
        }
        scene.called();
        long called = scene.journal().now();
        boolean good = lock.unlock();
        scene.journal().released(belief.name(), belief.token(), good, called);
        ended(belief, good);
        if (dice.oneIn(6)) {
            scene.called();
            scene.hits().hit(51);
            if (lock.unlock()) {
                throw new Violation(
                        "I7", "a lock was unlocked once more than it was taken, and that was said to be good");
            }
        }
        return true;
    }

    /** Goes on reading. Nobody else writes between the two. */
    private void downgrade(Peek.Belief belief, NamedLock lock) {
        NamedLock reader = new NamedLock(party.engine(), belief.name(), LockOptions.DEFAULT, Share.READ, Order.QUEUE);
        long floor = scene.auditor().floor(belief.name(), Share.READ);
        long called = scene.journal().now();
        try {
            scene.called();
            if (!reader.tryLock()) {
                throw new Violation("I7", "one that writes may not read");
            }
        } catch (LeaseLostException e) {
            scene.hits().hit(52);
            lock.unlock();
            return;
        }
        scene.called();
        boolean lasts = belief.isHeld()
                && belief.remainingNanos(
                                party.platform().nanoTime(), party.platform().wallMillis())
                        > 100_000_000L;
        boolean good = lock.unlock();
        Peek.Belief reads = Peek.heldHere(reader);
        if (reads == null) {
            throw new Violation("I7", "one that wrote and reads on does not hold the lock");
        }
        boolean lost = reads.token() == belief.token();
        scene.journal().released(belief.name(), belief.token(), good && !lost, called);
        if (!lost) {
            obtained(reads, Share.READ, floor, called);
            ended(belief, good);
            party.platform().sleep(length());
        } else if (!belief.isLost()) {
            throw new Violation("I8", "one that wrote cannot read on, and nobody was told of a loss");
        } else if (lasts && scene.director().isQuietSoFar() && scene.auditor().modelWasKept()) {
            throw new Violation("L5", "nothing was wrong, and one that wrote could not read on");
        }
        scene.called();
        long ends = scene.journal().now();
        boolean read = reader.unlock();
        if (!lost) {
            scene.journal().released(reads.name(), reads.token(), read, ends);
            ended(reads, read);
        } else if (read) {
            throw new Violation("I8", "a reader that lost the lock was told that all was good");
        }
    }

    private void work(Peek.Belief belief, NamedLock lock) {
        switch (dice.below(6)) {
            case 0, 1 -> party.platform().sleep(length());
            case 2 -> {
                scene.called();
                boolean valid = lock.isHeldByCurrentThread();
                writes(belief, valid);
            }
            case 3 -> {
                // What nobody can prevent: the lease ends between the look and the write.
                boolean valid = lock.isHeldByCurrentThread();
                party.platform().sleep(length());
                boolean still = lock.isHeldByCurrentThread();
                if (valid && !still) {
                    scene.hits().hit(3);
                }
                writes(belief, still);
            }
            default -> reenter(belief, lock);
        }
    }

    private void reenter(Peek.Belief belief, NamedLock lock) {
        boolean lost = belief.isLost();
        scene.called();
        try {
            boolean again = dice.oneIn(2) ? lock.tryLock() : lock.tryLock(1, TimeUnit.SECONDS);
            if (!again || lost) {
                throw new Violation("I7", "re-entry said " + again + (lost ? " after the lease was lost" : ""));
            }
        } catch (LeaseLostException e) {
            scene.hits().hit(52);
            return;
        } catch (InterruptedException e) {
            scene.hits().hit(46);
            return;
        }
        Peek.Belief same = Peek.heldHere(lock);
        if (same == null || same.token() != belief.token()) {
            throw new Violation("I2", "the token changed at re-entry");
        }
        int count = lock.getHoldCount();
        if (count != 2 && !belief.isLost()) {
            throw new Violation("I7", "held twice, and counted " + count + " times");
        }
        party.platform().sleep(length());
        scene.called();
        lock.unlock();
    }

    private long length() {
        return length(scene, dice);
    }

    /** How long somebody works: mostly not at all, sometimes for longer than the lease. */
    static long length(Scene scene, Dice dice) {
        long lease = scene.setup().leaseMillis() * 1_000_000;
        return switch (dice.below(8)) {
            case 0, 1, 2 -> 0;
            case 3, 4 -> dice.below(5_000_000L);
            case 5, 6 -> dice.below(lease);
            default -> lease + dice.below(2 * lease);
        };
    }

    /** What an application was told at the end of its section. */
    private void ended(Peek.Belief belief, boolean good) {
        scene.world()
                .trace()
                .add(party.host().name(), good ? "released" : "released, but it was lost:", belief.owner());
        if (good) {
            scene.auditor().released(belief);
        } else if (!belief.isLost()) {
            throw new Violation(
                    "I8", "the release of " + belief.owner() + " was no good, and nobody was told of a loss");
        }
    }

    /** Works under a lock that is a handle. */
    void asHandle(Lease lease) {
        Peek.Belief belief = Peek.of(lease);
        obtained(belief);
        int works = dice.below(4);
        for (int i = 0; i < works; i++) {
            switch (dice.below(4)) {
                case 0 -> {
                    scene.called();
                    boolean valid = lease.isValid();
                    writes(belief, valid);
                }
                case 1 -> {
                    scene.called();
                    lease.extend(Duration.ofMillis(dice.between(
                            scene.setup().leaseMillis(), 2 * scene.setup().leaseMillis())));
                }
                default -> party.platform().sleep(length());
            }
        }
        scene.called();
        long called = scene.journal().now();
        boolean good = lease.release();
        scene.journal().released(belief.name(), belief.token(), good, called);
        ended(belief, good);
    }
}
