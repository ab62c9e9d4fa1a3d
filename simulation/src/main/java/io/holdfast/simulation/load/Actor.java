package io.holdfast.simulation.load;

import io.holdfast.Backoff;
import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.OnLoss;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.NamedLock;
import io.holdfast.internal.Order;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Fiber;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A thread of an application: it takes locks in every way there is, works under them, and gives them back. */
final class Actor {
    private final Scene scene;
    private final Site site;
    private final int number;
    private int step;
    private boolean done;
    /** Set by a fault: the thread ends where it stands. */
    boolean dies;

    private @Nullable Fiber fiber;
    private String doing = "";

    Actor(Scene scene, Site site, int number) {
        this.scene = scene;
        this.site = site;
        this.number = number;
    }

    boolean isDone() {
        return done;
    }

    int number() {
        return number;
    }

    /** Whether a fault wants the thread to end where it stands; asked once. */
    boolean diesNow() {
        boolean now = dies;
        dies = false;
        return now;
    }

    @Nullable
    Fiber fiber() {
        return fiber;
    }

    void start() {
        Party party = site.party();
        Fiber started = scene.world().start(party.host(), party.host().name() + "/t" + number % 10, this::run);
        started.mayBlock(!scene.setup().virtual());
        fiber = started;
    }

    /** In the process that follows one that died. */
    void startAgain() {
        if (!done) {
            step++;
            start();
        }
    }

    private void run() {
        int most = 4 * scene.setup().steps();
        for (; step < scene.setup().steps() || (scene.calls() < Setup.CALLS && step < most); step++) {
            if (scene.mask().keepsStep(number, step) && !act()) {
                step++;
                start();
                return;
            }
        }
        done = true;
    }

    /** Something that a thread does in one step. */
    interface Step {
        /** What it is about, for the message. */
        String about();

        /** False if the thread died in it. */
        boolean act() throws InterruptedException;

        /** Its time was over, and somebody else is said to have had what it wanted. */
        void timedOut();

        /** Whether it gives the store less time than that needs. */
        boolean isImpatient();

        /** Whether the thread is left with something. */
        boolean holdsAny();
    }

    /** One step. False if the thread died in it. */
    private boolean act() {
        Party party = site.party();
        Dice dice = Dice.of(scene.setup().seed(), 7, number, step);
        party.platform().sleep(dice.oneIn(3) ? 0 : dice.below(60_000_000L));
        // Dice of their own, so that the other steps are what they would be without these.
        Dice several = Dice.of(scene.setup().seed(), 10, number, step);
        Dice counting = Dice.of(scene.setup().seed(), 11, number, step);
        if (counting.oneIn(8) && !scene.setup().topology().isQuorum()) {
            return carryOut(party, new Counting(scene, party, counting, options(counting)));
        }
        return carryOut(
                party,
                several.oneIn(6)
                        ? new Together(scene, this, party, several, options(several))
                        : new Single(party, dice));
    }

    /** The thread wants one lock. */
    private final class Single implements Step {
        private final Party party;
        private final Dice dice;
        private final NamedLock lock;
        private final Section section;
        private final Patience patience;
        private final int kind;
        private final boolean mayRepeat;
        private final Share share;
        private final boolean fair;

        Single(Party party, Dice dice) {
            this.party = party;
            this.dice = dice;
            String name = dice.pick(scene.setup().names());
            boolean fair = dice.oneIn(4) && !scene.setup().topology().isQuorum();
            Share share = scene.setup().share(dice);
            this.lock = new NamedLock(party.engine(), name, options(dice), share, order(fair));
            this.section = section(dice, share, fair);
            this.share = share;
            this.fair = fair;
            this.mayRepeat = !share.isRead();
            this.patience = new Patience(scene, party, List.of(name));
            this.kind = dice.below(10);
        }

        private Order order(boolean inTheQueue) {
            // Dice of their own, as above.
            boolean strict = Dice.of(scene.setup().seed(), 13, number, step).oneIn(2);
            return !inTheQueue ? Order.LINE : strict ? Order.STRICT : Order.QUEUE;
        }

        @Override
        public String about() {
            return lock.getLockName() + ", kind " + kind;
        }

        private Section section(Dice drawn, Share share, boolean fair) {
            long floor = scene.auditor().floor(lock.getLockName(), share);
            return new Section(
                    scene,
                    Actor.this,
                    party,
                    drawn,
                    new Section.Before(floor, scene.journal().now(), fair, share));
        }

        @Override
        public boolean act() throws InterruptedException {
            // Dice of their own, as above.
            Dice repeats = Dice.of(scene.setup().seed(), 12, number, step);
            boolean alive = once();
            int most = mayRepeat && repeats.oneIn(3) ? repeats.below(6) : 0;
            for (int i = 0; alive && i < most; i++) {
                alive = onceMore(repeats);
            }
            return alive;
        }

        /** Takes the same lock again, mostly at once, and for a moment. */
        private boolean onceMore(Dice repeats) throws InterruptedException {
            party.platform().sleep(repeats.oneIn(4) ? repeats.below(400_000L) : 0);
            Section brief = section(repeats, share, fair);
            Patience mine = new Patience(scene, party, List.of(lock.getLockName()));
            long wait = repeats.oneIn(3) ? 0 : patience(repeats);
            scene.called();
            boolean got = wait == 0 ? lock.tryLock() : lock.tryLock(Duration.ofNanos(wait));
            return brief.briefly(lock, told(mine, got, wait));
        }

        private boolean once() throws InterruptedException {
            return switch (kind) {
                case 0, 1 -> section.asThread(lock, told(patience, lock.tryLock(), 0));
                case 2, 3, 4 -> {
                    long wait = patience(dice);
                    yield section.asThread(lock, told(patience, lock.tryLock(Duration.ofNanos(wait)), wait));
                }
                case 5 -> {
                    lock.lock();
                    yield section.asThread(lock, true);
                }
                case 6 -> {
                    lock.lockInterruptibly();
                    yield section.asThread(lock, true);
                }
                case 7 -> {
                    long wait = patience(dice);
                    boolean got = lock.tryLock(wait / 1_000_000, scene.setup().leaseMillis(), TimeUnit.MILLISECONDS);
                    yield section.asThread(lock, told(patience, got, wait));
                }
                case 8 -> {
                    long wait = patience(dice);
                    try (Lease lease = lock.acquire(Duration.ofNanos(wait))) {
                        section.asHandle(lease);
                    }
                    yield true;
                }
                default -> async(party, lock, patience(dice), dice, section::asHandle);
            };
        }

        @Override
        public void timedOut() {
            patience.heldByAnother();
        }

        @Override
        public boolean isImpatient() {
            return false;
        }

        @Override
        public boolean holdsAny() {
            return lock.getHoldCount() > 0;
        }
    }

    private boolean carryOut(Party party, Step what) {
        String host = party.host().name();
        try {
            scene.called();
            doing = "step " + step + " on " + what.about();
            return what.act();
        } catch (InterruptedException e) {
            scene.hits().hit(46);
            nothingHeld(party, what, "an InterruptedException");
        } catch (LockTimeoutException e) {
            what.timedOut();
            scene.world().trace().add(host, "timed out on", what.about());
        } catch (LeaseLostException e) {
            scene.world().trace().add(host, "was told: lease lost on", what.about());
        } catch (StoreUnavailableException e) {
            scene.hits().hit(50);
            excusable(e, what);
            nothingHeld(party, what, "a StoreUnavailableException");
        } catch (StoreRefusedException e) {
            excusable(e, what);
            nothingHeld(party, what, "a StoreRefusedException");
        } catch (ClientClosedException e) {
            scene.world().trace().add(host, "was told: client closed, on", what.about());
        }
        return true;
    }

    private static boolean told(Patience patience, boolean got, long waitNanos) {
        patience.kept(waitNanos);
        if (!got) {
            patience.heldByAnother();
        }
        return got;
    }

    static long patience(Dice dice) {
        return dice.pick(1L, 20L, 300L, 2_000L, 9_000L) * 1_000_000 + dice.below(1_000_000L);
    }

    private LockOptions options(Dice dice) {
        long lease = scene.setup().leaseMillis();
        LockOptions.Builder options = LockOptions.builder()
                .lease(Duration.ofMillis(lease))
                .backoff(new Backoff(Duration.ofMillis(5), Duration.ofMillis(200)))
                .outageLimit(Duration.ofSeconds(2))
                .handOver(Duration.ofMillis(dice.pick(0L, 15L, 15L, 15L, 200L)));
        if (dice.oneIn(8)) {
            options.renewal(false);
        }
        if (dice.oneIn(12)) {
            options.maxHold(Duration.ofMillis(lease * 2));
        }
        if (dice.oneIn(4)) {
            options.onLoss(OnLoss.INTERRUPT);
        }
        return options.build();
    }

    /** In the quiet beginning of a run the store answers. */
    private void excusable(RuntimeException e, Step what) {
        scene.world().trace().add("actor " + number, "failed:", String.valueOf(e.getMessage()));
        // Nobody answers within a millisecond that takes two to get there.
        boolean impatient = what.isImpatient() || String.valueOf(e.getMessage()).matches(".* within [0-9]{1,2} ms");
        String client = site.party().host().name();
        // It was given the lock, and had no time left to ask again.
        boolean taken = String.valueOf(e.getMessage()).contains("it was released by force");
        if (!impatient && !taken && !scene.stage().isExcusable(client, String.valueOf(e.getMessage()))) {
            throw new Violation("L5", "nothing was wrong, and yet: " + e.getMessage());
        }
    }

    private void nothingHeld(Party party, Step what, String after) {
        if (!site.party().host().isDead() && what.holdsAny()) {
            throw new Violation("I7", "after " + after + " the thread holds all the same some of: " + what.about());
        }
        scene.world().trace().add(party.host().name(), after + " on", what.about());
    }

    static boolean async(Party party, DistributedLock lock, long waitNanos, Dice dice, Consumer<Lease> work) {
        CompletableFuture<Optional<Lease>> answer =
                lock.tryAcquireAsync(Duration.ofNanos(waitNanos)).toCompletableFuture();
        if (!await(party, answer, dice.oneIn(3) ? dice.below(100_000_000L) : Long.MAX_VALUE)) {
            return true;
        }
        Optional<Lease> found = result(answer);
        if (found.isPresent()) {
            try (Lease lease = found.get()) {
                work.accept(lease);
            }
        }
        return true;
    }

    /** Waits for an answer, whatever interrupts come. False if it took too long, and was cancelled. */
    static boolean await(Party party, CompletableFuture<?> answer, long cancelAfter) {
        long start = party.platform().nanoTime();
        Object me = party.platform().currentThread();
        answer.whenComplete((value, error) -> party.platform().unpark(me));
        while (!answer.isDone()) {
            long waited = party.platform().nanoTime() - start;
            if (waited > cancelAfter) {
                answer.cancel(false);
                return false;
            }
            party.platform().interrupted();
            party.platform().park(cancelAfter == Long.MAX_VALUE ? cancelAfter : cancelAfter - waited + 1);
        }
        return true;
    }

    /** An answer that has come, or what went wrong. */
    static <T> T result(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (java.util.concurrent.CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        Fiber present = fiber;
        return (present == null ? "actor " + number : present.name()) + " in " + doing;
    }
}
