package io.holdfast.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where locks are kept. The engine above it does everything that is the same for every store: waiting, re-entrancy,
 * renewal, the local deadline, the loss signal. A store answers single questions, atomically.
 *
 * <h2>Rules for every operation</h2>
 *
 * <ul>
 *   <li>It may be repeated without a second effect; the engine repeats it whenever it does not know what became of it.
 *   <li>It is compared with the owner id, which is fresh for every acquisition: a late or repeated message of an old one
 *       touches nobody else.
 *   <li>It may block the calling thread for up to the command time-out, or return a stage that completes later on any
 *       thread. The engine calls it only from threads that may block.
 *   <li>It fails with a {@link StoreFailure}, and nothing else, in the stage. A negative answer is not a failure.
 *   <li>Time in the store is the store's own; the engine never sends a time of its own clocks.
 * </ul>
 *
 * <p>A store must be thread safe.
 */
public interface LockStore extends AutoCloseable {

    /** A ticket that is not refreshed ends by itself within this time. */
    Duration LONGEST_TICKET = Duration.ofSeconds(10);

    /** So many locks are asked for, or given up, in one go at most. */
    int AT_ONCE = 64;

    /**
     * Grants the lock if it is free and nobody waits ahead, or if this very owner has it already: then the lease starts
     * anew at its full length, with the same token. Otherwise, and if the request wants to wait, leaves a ticket, or
     * refreshes the one it has.
     */
    CompletionStage<AcquireReply> acquire(AcquireRequest request);

    /**
     * The same, for a caller that has nothing to do but to wait once it stands in line. A store in which one caller reads the
     * answers of others may let that one tell it, by its own thread, and leave this caller asleep in here: it then returns as
     * soon as its thread is unparked, or after a moment.
     *
     * @param told completed with what came of it, whatever that is
     */
    default void acquire(AcquireRequest request, CompletableFuture<AcquireReply> told) {
        tell(acquire(request), told);
    }

    /** Completes the one as the other is. */
    static <T> void tell(CompletionStage<T> known, CompletableFuture<T> told) {
        known.whenComplete((value, error) -> {
            if (error != null) {
                told.completeExceptionally(error);
            } else {
                told.complete(value);
            }
        });
    }

    /**
     * Asks for several locks, none of which is to be waited for, as {@link #acquire} does. They are taken in the order given,
     * until one is not to be had. A store that can do so in one go saves round trips.
     *
     * @param requests some, at most {@link #AT_ONCE}, for different locks
     * @param part whether those before the one that is not to be had are kept; otherwise they are given up again
     * @return the answers from the first on, at least one: up to and including the first that is not
     *     {@link AcquireReply.Granted}, or fewer, all of them granted and kept, if the rest is to be asked for anew
     */
    default CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
        return acquire(requests.get(0)).thenApply(List::of);
    }

    /**
     * Gives up whatever these owners have, as {@link #release} does.
     *
     * @param items some, at most {@link #AT_ONCE}
     * @return the answers from the first on, at least one; the rest is to be asked for anew
     */
    default CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
        ReleaseItem first = items.get(0);
        return release(first.name(), first.owner()).thenApply(List::of);
    }

    /**
     * Gives up whatever this owner has: the lock, which goes to the first live ticket, or a ticket, or both. Must also
     * see to it that an earlier acquire of this owner whose answer never came has no effect afterwards.
     */
    CompletionStage<ReleaseReply> release(String name, String owner);

    /**
     * As {@link #release(String, String)}, and takes back the tickets of those to whom the lock was passed on meanwhile, and
     * permits that they may have been given since. A store that can do so in one go saves round trips.
     *
     * @param served whose tickets they are
     */
    default CompletionStage<ReleaseReply> release(String name, String owner, List<String> served) {
        // The tickets first: the lock would go to the first of them.
        CompletionStage<ReleaseReply> done = CompletableFuture.completedFuture(ReleaseReply.NOT_OWNER);
        for (String other : served) {
            done = done.thenCompose(before -> release(name, other));
        }
        return done.thenCompose(before -> release(name, owner));
    }

    /**
     * Gives up whatever one owner has, as {@link #release} does, and asks for another, as {@link #acquire} does, in that
     * order. A store that can do both in one go saves a round trip, and lets the second owner have the first one's place
     * in the queue, if it had one.
     *
     * <p>A request to read is different: it is that of one who has the lock whole and goes on reading. A store that can share
     * locks lets nobody in between, and answers {@link AcquireReply.Busy} if the first owner did not have it whole any more.
     *
     * @param owner who gives up
     * @param next who asks, for the same lock
     */
    default CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
        return release(next.name(), owner)
                .thenCompose(released -> acquire(next)
                        .exceptionally(error -> new AcquireReply.Failed(StoreFailure.of(error)))
                        .thenApply(acquired -> new ExchangeReply(released, acquired)));
    }

    /**
     * Makes each lease last at least as long as the item says, from now; never shortens one, never brings one back. Items
     * succeed and fail alone; the stage itself fails only if nothing is known about any of them.
     *
     * @param timeout how long to wait for the answer, at most; no longer than the command time-out
     * @return a reply for each item, in their order
     */
    CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout);

    /**
     * Which part of the store has this lock, for a store whose parts fail apart. What is sent to different parts is sent by
     * different threads, so that a part that does not answer holds up no other. It may change. Asks nobody, waits for nobody, and
     * is quick: it is asked for every lease that is to be renewed, by the thread that keeps the time.
     */
    default String part(String name) {
        return "";
    }

    /**
     * Changes the number of permits of a lock whose permits are held: a larger number lets those in who wait, a smaller one
     * takes nothing away.
     *
     * @return whether anybody holds permits of it; if not, nothing is changed
     */
    default CompletionStage<Boolean> resize(String name, int permits) {
        return CompletableFuture.failedFuture(StoreFailure.refused(address() + " has no semaphores", null));
    }

    /**
     * Takes what this owner holds of a lock from it, for a person who says so; those who wait go on. A store that can reaches the
     * holder and reports {@link StoreEvents#expelled} there; any other holder learns it at its next renewal.
     *
     * @param owner as {@link #inspect} tells it
     * @return whether this owner held it; if not, nothing is changed
     */
    default CompletionStage<Boolean> expel(String name, String owner) {
        return release(name, owner).thenApply(reply -> reply == ReleaseReply.RELEASED);
    }

    /** Count-down latches, of a store with {@link Capability#LATCHES}. */
    default LatchStore latches() {
        throw new UnsupportedOperationException(address() + " has no latches");
    }

    /** The state of every lock whose name matches; {@code *} stands for any characters. */
    CompletionStage<List<LockInfo>> inspect(String pattern);

    /** Whether the store answers, and what about it weakens the locks. */
    CompletionStage<StoreHealth> health();

    /** What this store can do. */
    Set<Capability> capabilities();

    /** Where the store is, for messages; never contains a secret. */
    String address();

    /** Disconnects. Operations under way fail; later ones fail at once. Called once. */
    @Override
    void close();
}
