package io.holdfast.simulation.load;

import io.holdfast.LockOptions;
import io.holdfast.internal.NamedLatch;
import io.holdfast.simulation.audit.Latches;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.world.Dice;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** An application sets a latch, counts it down, waits for it, or forgets it. */
final class Counting implements Actor.Step {
    /** The latch of a run. */
    static final String NAME = "gate";

    private final Scene scene;
    private final Party party;
    private final Dice dice;
    private final NamedLatch latch;

    Counting(Scene scene, Party party, Dice dice, LockOptions options) {
        this.scene = scene;
        this.party = party;
        this.dice = dice;
        this.latch = new NamedLatch(party.engine(), NAME, options);
    }

    @Override
    public String about() {
        return "latch " + NAME;
    }

    @Override
    public boolean act() throws InterruptedException {
        for (int left = 1 + dice.below(4); left > 0; left--) {
            scene.called();
            switch (dice.below(20)) {
                case 0, 1, 2, 3, 4 -> set();
                case 5, 6, 7, 8, 9, 10, 11 -> countDown();
                case 12, 13, 14, 15, 16, 17 -> await();
                case 18 -> clear();
                default -> count();
            }
        }
        return true;
    }

    private Latches latches() {
        return scene.latches();
    }

    private void told(String what, Object answer) {
        scene.world().trace().add(party.host().name(), what, answer);
    }

    private void set() {
        int count = 1 + dice.below(3);
        Duration life = Duration.ofMillis(dice.pick(500L, 3_000L, 10_000L, 10_000L));
        Latches.Call call = latches().call();
        boolean done = latch.trySetCount(count, life);
        told("sets the latch to " + count + ":", done);
        latches().triedToSet(call, done);
    }

    private void countDown() {
        Latches.Call call = latches().countsDown();
        try {
            if (dice.oneIn(3)) {
                CompletableFuture<Void> answer = latch.countDownAsync().toCompletableFuture();
                Actor.await(party, answer, Long.MAX_VALUE);
                Actor.result(answer);
            } else {
                latch.countDown();
            }
            told("counts down", "");
            latches().countedDown(call);
        } catch (IllegalStateException e) {
            told("cannot count down:", String.valueOf(e.getMessage()));
            latches().notSet(call);
        } finally {
            latches().ended(call);
        }
    }

    private void await() throws InterruptedException {
        long wait = Actor.patience(dice);
        Patience patience = new Patience(scene, party, List.of());
        Latches.Call call = latches().call();
        try {
            boolean open;
            if (dice.oneIn(3)) {
                CompletableFuture<Boolean> answer =
                        latch.awaitAsync(Duration.ofNanos(wait)).toCompletableFuture();
                if (!Actor.await(party, answer, dice.oneIn(3) ? dice.below(100_000_000L) : Long.MAX_VALUE)) {
                    return;
                }
                open = Actor.result(answer);
            } else {
                open = latch.await(Duration.ofNanos(wait));
            }
            told("waited for the latch:", open);
            patience.kept(wait);
            latches().awaited(call, open);
        } catch (IllegalStateException e) {
            told("waited in vain:", String.valueOf(e.getMessage()));
            latches().wasForgotten(call);
        }
    }

    private void clear() {
        Latches.Call call = latches().clears();
        try {
            boolean was = latch.clear();
            told("clears the latch:", was);
            latches().cleared(call, was);
        } finally {
            latches().ended(call);
        }
    }

    private void count() {
        Latches.Call call = latches().call();
        OptionalInt left = latch.getCount();
        told("reads the latch:", left);
        if (left.isPresent()) {
            latches().counted(call, left.getAsInt());
        } else {
            latches().notSet(call);
        }
    }

    @Override
    public void timedOut() {
        throw new IllegalStateException("nobody but a lock says that it timed out");
    }

    @Override
    public boolean isImpatient() {
        return false;
    }

    @Override
    public boolean holdsAny() {
        return false;
    }
}
