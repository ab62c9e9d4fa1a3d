package io.holdfast.simulation.load;

import io.holdfast.Backoff;
import io.holdfast.ClientClosedException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.OnLoss;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.NamedLock;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Fiber;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

    /** One step. False if the thread died in it. */
    private boolean act() {
        Party party = site.party();
        Dice dice = Dice.of(scene.setup().seed(), 7, number, step);
        party.platform().sleep(dice.oneIn(3) ? 0 : dice.below(60_000_000L));
        String name = dice.pick(scene.setup().names());
        boolean fair = dice.oneIn(4);
        Share share = scene.setup().share(dice);
        NamedLock lock = new NamedLock(party.engine(), name, options(dice), share, fair);
        Section section = new Section(
                scene,
                this,
                party,
                dice,
                new Section.Before(
                        scene.auditor().floor(name, share), scene.journal().now(), fair, share));
        Patience patience = new Patience(scene, party, name);
        try {
            scene.called();
            int kind = dice.below(10);
            doing = "step " + step + " kind " + kind + " on " + name;
            return switch (kind) {
                case 0, 1 -> section.asThread(lock, told(patience, lock.tryLock(), 0));
                case 2, 3, 4 -> {
                    long wait = wait(dice);
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
                    long wait = wait(dice);
                    boolean got = lock.tryLock(wait / 1_000_000, scene.setup().leaseMillis(), TimeUnit.MILLISECONDS);
                    yield section.asThread(lock, told(patience, got, wait));
                }
                case 8 -> {
                    long wait = wait(dice);
                    try (Lease lease = lock.acquire(Duration.ofNanos(wait))) {
                        section.asHandle(lease);
                    }
                    yield true;
                }
                default -> async(party, lock, dice, section);
            };
        } catch (InterruptedException e) {
            scene.hits().hit(46);
            nothingHeld(party, lock, "an InterruptedException");
        } catch (LockTimeoutException e) {
            patience.heldByAnother();
            scene.world().trace().add(party.host().name(), "timed out on", name);
        } catch (LeaseLostException e) {
            scene.world().trace().add(party.host().name(), "was told: lease lost on", name);
        } catch (StoreUnavailableException e) {
            scene.hits().hit(50);
            excusable(e);
            nothingHeld(party, lock, "a StoreUnavailableException");
        } catch (StoreRefusedException e) {
            excusable(e);
            nothingHeld(party, lock, "a StoreRefusedException");
        } catch (ClientClosedException e) {
            scene.world().trace().add(party.host().name(), "was told: client closed, on", name);
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

    private long wait(Dice dice) {
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
    private void excusable(RuntimeException e) {
        scene.world().trace().add("actor " + number, "failed:", String.valueOf(e.getMessage()));
        // Nobody answers within a millisecond that takes two to get there.
        boolean impatient = String.valueOf(e.getMessage()).matches(".* within [0-9]{1,2} ms");
        if (scene.director().isQuietSoFar() && !impatient) {
            throw new Violation("L5", "nothing was wrong, and yet: " + e.getMessage());
        }
    }

    private void nothingHeld(Party party, NamedLock lock, String after) {
        if (!site.party().host().isDead() && lock.getHoldCount() > 0) {
            throw new Violation("I7", "after " + after + " the thread holds " + lock.getLockName() + " all the same");
        }
        scene.world().trace().add(party.host().name(), after + " on", lock.getLockName());
    }

    private boolean async(Party party, NamedLock lock, Dice dice, Section section) {
        CompletableFuture<Optional<Lease>> answer =
                lock.tryAcquireAsync(Duration.ofNanos(wait(dice))).toCompletableFuture();
        long cancelAfter = dice.oneIn(3) ? dice.below(100_000_000L) : Long.MAX_VALUE;
        long start = party.platform().nanoTime();
        Object me = party.platform().currentThread();
        answer.whenComplete((value, error) -> party.platform().unpark(me));
        while (!answer.isDone()) {
            long waited = party.platform().nanoTime() - start;
            if (waited > cancelAfter) {
                answer.cancel(false);
                return true;
            }
            party.platform().interrupted();
            party.platform().park(cancelAfter == Long.MAX_VALUE ? cancelAfter : cancelAfter - waited + 1);
        }
        try {
            Optional<Lease> found = answer.join();
            if (found.isPresent()) {
                try (Lease lease = found.get()) {
                    section.asHandle(lease);
                }
            }
        } catch (java.util.concurrent.CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
        return true;
    }

    @Override
    public String toString() {
        Fiber present = fiber;
        return (present == null ? "actor " + number : present.name()) + " in " + doing;
    }
}
