package io.holdfast.faults.contender;

/** What one does when it is elected. */
@FunctionalInterface
public interface Leader {
    /**
     * Leads, until it returns.
     *
     * @param held what makes it the leader; given back by whoever calls this
     * @throws InterruptedException if it was interrupted, which is how it is deposed
     */
    void lead(Held held) throws InterruptedException;
}
