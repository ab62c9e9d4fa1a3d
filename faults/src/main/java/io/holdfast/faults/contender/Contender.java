package io.holdfast.faults.contender;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A library of locks. */
public interface Contender {
    String name();

    /** Which version, and how it is set up. */
    String description();

    /** What it offers there. */
    Set<Workload> workloads(Topology topology);

    /** Whether a holder is told that it has lost what it holds, without asking. */
    boolean signalsLoss();

    /** Connects a client to servers at these ports of this machine: those of the Sentinels, or of all nodes. */
    Session open(Topology topology, List<Integer> ports, Duration lease);

    /** Whether a key may stay for good when nobody holds or wants anything. */
    boolean mayStay(String key);
}
