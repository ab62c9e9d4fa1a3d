package io.holdfast.simulation.net;

/** A client's way to the store, as an auditor sees it. */
public interface Way {
    /** How often a server has said that another holds the lock. */
    long refusals();

    /** Since when the inbox has been heard of without a break; the end of time if it is not open. */
    long inboxSince();

    /** The process is gone: nobody listens any more. */
    void die();
}
