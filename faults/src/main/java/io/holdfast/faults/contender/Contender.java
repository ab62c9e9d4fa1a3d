package io.holdfast.faults.contender;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A library of locks. */
public interface Contender {
    String name();

    /** Which version, and how it is set up. */
    String description();

    /** What is set otherwise than in a campaign, for one of the scenarios; empty if nothing is. */
    default String setting() {
        return "";
    }

    /** What it offers there. */
    Set<Workload> workloads(Topology topology);

    /** Whether a holder is told that it has lost what it holds, without asking. */
    boolean signalsLoss();

    /** Connects a client to servers at these addresses, {@code host:port}: those of the Sentinels, or of all nodes. */
    Session open(Topology topology, List<String> addresses, Duration lease);

    /** Whether a key may stay for good when nobody holds or wants anything. */
    boolean mayStay(String key);
}
