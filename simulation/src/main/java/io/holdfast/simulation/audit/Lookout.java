package io.holdfast.simulation.audit;

/** Looks, from time to time, whether something is left lying or somebody waits in vain. */
public interface Lookout {
    /** Looks from now on. */
    void start();

    /** The server's clock was set back: until it has caught up, the server takes requests that it should refuse. */
    void setBack(long nanos);

    /** An owner that has lost its lease leaves the lock to its expiry. */
    void lost(String owner);
}
