package io.holdfast.simulation.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** What the clients talk to. */
public enum Topology {
    /** One Redis server. */
    SINGLE,
    /** A server and a replica that follows with a lag, and takes its place at a failover. */
    FAILOVER;

    /** Whether locks are held on a majority. */
    boolean isQuorum() {
        return false;
    }

    /** The faults to draw from. */
    List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(Stream.of(Fault.values())
                .filter(fault -> fault != Fault.FAILOVER)
                .toList());
        if (this == FAILOVER) {
            // One in a few: it is what this is about.
            faults.addAll(Collections.nCopies(8, Fault.FAILOVER));
        }
        return faults;
    }

    /** Those of the catalogue that it shows, beyond what one server does. */
    public List<Integer> moreOfTheCatalogue() {
        return this == FAILOVER ? List.of(12, 24) : List.of();
    }
}
