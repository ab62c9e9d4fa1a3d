package io.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * Many readers or one writer, among all the threads of all the processes that use the same store. A lock object has no state of
 * its own. Thread safe.
 *
 * <pre>{@code
 * DistributedReadWriteLock catalogue = locks.readWriteLock("catalogue");
 * try (Lease lease = catalogue.readLock().acquire(ofSeconds(5))) {
 *     read();
 * }
 * }</pre>
 *
 * <p>Both sides are served in the order of their coming: a writer that waits stops readers that come after it, and readers that
 * wait next to each other are let in together, so neither side starves. Every reader has a lease of its own, renewed and
 * lost alone: one that died holds up a writer for as long as its lease, and no longer.
 *
 * <p>A thread that writes may also read; if it gives up writing first, it goes on reading without a moment in which another
 * could write. A thread that reads and wants to write as well is refused at once with an {@link IllegalStateException}: two of
 * them would wait for each other for ever.
 */
public interface DistributedReadWriteLock {

    String getLockName();

    /** To be held beside all others who read. Its tokens say nothing about other readers; those of later writers are higher. */
    DistributedLock readLock();

    /** To be held alone. It is the same lock as {@link Holdfast#lock} of that name. */
    DistributedLock writeLock();

    /** The JDK's view of both. */
    ReadWriteLock asReadWriteLock();
}
