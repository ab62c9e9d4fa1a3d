package io.holdfast.simulation.load;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.internal.JointLock;
import io.holdfast.internal.NamedLock;
import io.holdfast.internal.Order;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.world.Dice;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An application takes several locks together, works under all of them, and gives them back. */
final class Together implements Actor.Step {
    private final Scene scene;
    private final Actor actor;
    private final Party party;
    private final Dice dice;
    private final Map<String, Member> members = new TreeMap<>();
    private final JointLock joint;
    private final Patience patience;
    private final int kind;
    private final long waitNanos;
    private Peek.@Nullable Belief alone;

    /** One of the locks, and what was known of it before it was asked for. */
    private record Member(NamedLock lock, Share share, boolean fair, long floor, long called) {}

    Together(Scene scene, Actor actor, Party party, Dice dice, LockOptions options) {
        this.scene = scene;
        this.actor = actor;
        this.party = party;
        this.dice = dice;
        List<String> left = new ArrayList<>(Setup.TOGETHER);
        List<NamedLock> asked = new ArrayList<>();
        for (long count = dice.between(2, left.size()); count > 0; count--) {
            // In whatever order they come to mind.
            Member member = member(left.remove(dice.below(left.size())), options);
            members.put(member.lock().getLockName(), member);
            asked.add(member.lock());
        }
        this.joint = new JointLock(party.engine(), asked);
        this.kind = dice.below(10);
        this.waitNanos = Actor.patience(dice);
        this.patience = new Patience(scene, party, List.copyOf(members.keySet()));
    }

    private Member member(String name, LockOptions options) {
        boolean fair = dice.oneIn(4) && !scene.setup().topology().isQuorum();
        Share share = scene.setup().share(dice);
        return new Member(
                new NamedLock(party.engine(), name, options, share, fair ? Order.STRICT : Order.LINE),
                share,
                fair,
                scene.auditor().floor(name, share),
                scene.journal().now());
    }

    @Override
    public String about() {
        return "all of " + members.keySet() + ", kind " + kind;
    }

    @Override
    public boolean act() throws InterruptedException {
        return switch (kind) {
            case 0, 1 -> asThread(told(joint.tryLock(), 0));
            case 2, 3, 4 -> asThread(told(joint.tryLock(Duration.ofNanos(waitNanos)), waitNanos));
            case 5 -> {
                joint.lock();
                yield asThread(true);
            }
            case 6 -> hasOneAlready();
            case 7 -> {
                long lease = scene.setup().leaseMillis();
                yield asThread(told(joint.tryLock(waitNanos / 1_000_000, lease, TimeUnit.MILLISECONDS), waitNanos));
            }
            case 8 -> {
                try (Lease lease = joint.acquire(Duration.ofNanos(waitNanos))) {
                    asHandle(lease);
                }
                yield true;
            }
            default -> Actor.async(party, joint, waitNanos, dice, this::asHandle);
        };
    }

    private boolean told(boolean got, long wait) {
        patience.kept(wait);
        if (!got) {
            patience.heldByAnother();
        }
        return got;
    }

    @Override
    public void timedOut() {
        patience.heldByAnother();
    }

    @Override
    public boolean isImpatient() {
        // Nobody answers within a few milliseconds that takes two to get there.
        return kind != 0 && kind != 1 && waitNanos < 100_000_000L;
    }

    @Override
    public boolean holdsAny() {
        return alone == null
                && members.values().stream().anyMatch(member -> member.lock().getHoldCount() > 0);
    }

    /** The thread has one of them when it asks for all, and afterwards it still has that one. */
    private boolean hasOneAlready() throws InterruptedException {
        NamedLock first = dice.pick(List.copyOf(members.values())).lock();
        if (!first.tryLock()) {
            return true;
        }
        Peek.Belief mine = held(first);
        alone = mine;
        obtained(mine);
        boolean lives = true;
        try {
            scene.called();
            // Who has one and waits for those before it may wait for somebody who does the same.
            boolean got = joint.tryLock(Duration.ofMillis(50));
            if (!got && !mine.isLost() && first.getHoldCount() > 1) {
                throw new Violation("I7", "not all were to be had, and " + mine.name() + " counts as taken twice");
            }
            lives = asThread(got);
            return lives;
        } finally {
            if (lives) {
                long called = scene.journal().now();
                boolean good = first.unlock();
                alone = null;
                ended(List.of(mine), good, called);
            }
        }
    }

    private static Peek.Belief held(NamedLock lock) {
        Peek.Belief belief = Peek.heldHere(lock);
        if (belief == null) {
            throw new Violation("I7", lock.getLockName() + " was obtained, and the thread does not hold it");
        }
        return belief;
    }

    private void obtained(Peek.Belief belief) {
        Member member = members.get(belief.name());
        if (member == null) {
            throw new Violation("I7", "nobody had asked for " + belief.name());
        }
        String client = "actor " + actor.number();
        scene.journal().granted(client, belief.name(), member.share(), belief.token(), member.called());
        scene.auditor().acquired(party, belief, member.floor(), member.fair(), member.share());
    }

    /** Those that were obtained by this: not the one that the thread had before. */
    private List<Peek.Belief> obtained(List<Peek.Belief> beliefs) {
        Peek.Belief before = alone;
        List<Peek.Belief> fresh = beliefs.stream()
                .filter(belief -> before == null || !belief.name().equals(before.name()))
                .toList();
        if (beliefs.size() != members.size()) {
            throw new Violation("I7", beliefs.size() + " locks were obtained, and not " + members.keySet());
        }
        fresh.forEach(this::obtained);
        return fresh;
    }

    /** Works under the locks that the thread has, if it has them. False if the thread died in it. */
    private boolean asThread(boolean got) {
        if (!got) {
            if (holdsAny()) {
                throw new Violation("I7", "not all of " + members.keySet() + " were to be had, and some are held");
            }
            return true;
        }
        List<Peek.Belief> beliefs =
                members.values().stream().map(member -> held(member.lock())).toList();
        List<Peek.Belief> fresh = obtained(beliefs);
        int works = dice.below(4);
        for (int i = 0; i < works; i++) {
            work(beliefs);
            if (actor.diesNow()) {
                scene.hits().hit(53);
                scene.world().trace().add(party.host().name(), "thread dies with all of", members.keySet());
                return false;
            }
        }
        scene.called();
        long called = scene.journal().now();
        boolean good = joint.unlock();
        allEnded(beliefs, fresh, good);
        ended(fresh, true, called);
        if (alone == null && dice.oneIn(6) && joint.unlock()) {
            throw new Violation(
                    "I7", "locks were unlocked once more than they were taken, and that was said to be good");
        }
        return true;
    }

    private void work(List<Peek.Belief> beliefs) {
        switch (dice.below(5)) {
            case 0, 1 -> party.platform().sleep(Section.length(scene, dice));
            case 2, 3 -> {
                scene.called();
                writes(beliefs, joint.isHeldByCurrentThread());
            }
            default -> reenter(beliefs);
        }
    }

    private void writes(List<Peek.Belief> beliefs, boolean valid) {
        for (Peek.Belief belief : beliefs) {
            Member member = members.get(belief.name());
            if (member != null && member.share().isWhole()) {
                scene.auditor().writes(party, belief.name(), belief.token(), valid);
            }
        }
    }

    private void reenter(List<Peek.Belief> beliefs) {
        boolean lost = beliefs.stream().anyMatch(Peek.Belief::isLost);
        scene.called();
        try {
            if (!joint.tryLock() || lost) {
                throw new Violation("I7", "re-entry of several was wrong" + (lost ? " after one was lost" : ""));
            }
        } catch (LeaseLostException e) {
            scene.hits().hit(52);
            return;
        }
        int count = joint.getHoldCount();
        if (count != 2 && beliefs.stream().noneMatch(Peek.Belief::isLost)) {
            throw new Violation("I7", "several are held twice, and counted " + count + " times");
        }
        party.platform().sleep(Section.length(scene, dice));
        scene.called();
        joint.unlock();
    }

    private void asHandle(Lease lease) {
        List<Peek.Belief> beliefs = Peek.allOf(lease);
        obtained(beliefs);
        for (Peek.Belief belief : beliefs) {
            if (lease.token(belief.name()) != belief.token()) {
                throw new Violation("I2", "a lease of several has another token for " + belief.name());
            }
        }
        int works = dice.below(4);
        for (int i = 0; i < works; i++) {
            scene.called();
            switch (dice.below(4)) {
                case 0 -> writes(beliefs, lease.isValid());
                case 1 -> {
                    long most = scene.setup().leaseMillis();
                    lease.extend(Duration.ofMillis(dice.between(most, 2 * most)));
                }
                default -> party.platform().sleep(Section.length(scene, dice));
            }
        }
        scene.called();
        long called = scene.journal().now();
        boolean good = lease.release();
        allEnded(beliefs, beliefs, good);
        ended(beliefs, true, called);
    }

    /** All was good if nothing was lost, and not otherwise; but what the thread keeps may be lost at any time. */
    private void allEnded(List<Peek.Belief> beliefs, List<Peek.Belief> given, boolean good) {
        if (good && given.stream().anyMatch(Peek.Belief::isLost)) {
            throw new Violation("I8", "the release of " + members.keySet() + " was good, and one was lost");
        }
        if (!good && beliefs.stream().noneMatch(Peek.Belief::isLost)) {
            throw new Violation(
                    "I8", "the release of " + members.keySet() + " was no good, and nobody was told of a loss");
        }
    }

    private void ended(List<Peek.Belief> beliefs, boolean good, long called) {
        for (Peek.Belief belief : beliefs) {
            boolean lost = belief.isLost();
            scene.journal().released(belief.name(), belief.token(), !lost, called);
            scene.world()
                    .trace()
                    .add(party.host().name(), lost ? "released, but it was lost:" : "released", belief.owner());
            if (!lost && !good) {
                throw new Violation(
                        "I8", "the release of " + belief.owner() + " was no good, and nobody was told of a loss");
            }
            if (!lost) {
                scene.auditor().released(belief);
            }
        }
    }
}
