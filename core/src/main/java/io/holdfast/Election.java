package io.holdfast;

import io.holdfast.spi.LockInfo;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One leader among all who stand for it, in all the processes that use the same store. Thread safe.
 *
 * <pre>{@code
 * Election scheduler = locks.election("scheduler");
 * Election.Candidacy candidacy = scheduler.stand(lease -> {
 *     while (lease.isValid()) {
 *         dispatch(lease.token());   // interrupted when it is deposed
 *     }
 * });
 * }</pre>
 *
 * <p>The leader holds the lock of that name, with all that goes with it: a lease that is renewed, a fencing token, a loss that
 * is signalled. Candidates are elected in the order of their coming. When a leader crashes, the next one follows as soon as
 * its lease is over.
 *
 * <p>A leader that loses its lease is deposed: its task is interrupted, {@link Lease#lost()} says why, and another may be
 * elected at that very moment. Only a resource that checks the token keeps the two apart until the task has ended.
 */
public interface Election {

    String getName();

    /**
     * Stands for election from now on. Once elected, the task is run, on a thread of its own. When it ends, by itself, by an
     * exception, which is logged, or because it was interrupted, the leader gives way to the next candidate and stands again,
     * behind the others; after an exception it pauses first, by {@link LockOptions#backoff()}. Leadership is given up only
     * after the task has ended, so keep to interrupts.
     */
    Candidacy stand(Task task);

    /** Who leads now, as the store sees it; empty if nobody does. */
    Optional<LockInfo> leader();

    /** What a leader does. */
    @FunctionalInterface
    interface Task {
        /**
         * Leads.
         *
         * @param lease what makes it the leader, with the token to write with; it is given back when this returns
         */
        void lead(Lease lease) throws Exception;
    }

    /** One that stands for election. */
    interface Candidacy extends AutoCloseable {

        /** Whether it leads, by local knowledge. */
        boolean isLeader();

        /** The token it leads with; empty if it does not lead. */
        OptionalLong token();

        /** Gives way to the next candidate, if it leads, by interrupting its task; and stands again, behind the others. */
        void resign();

        /** Does not stand any more. A task that is under way is interrupted, and leadership given up when it has ended. */
        @Override
        void close();
    }
}
