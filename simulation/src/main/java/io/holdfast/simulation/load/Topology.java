package io.holdfast.simulation.load;

import io.holdfast.simulation.world.Dice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the clients talk to. */
public enum Topology {
    /** One Redis server. */
    SINGLE,
    /** A server and a replica that follows with a lag, and takes its place at a failover. */
    FAILOVER,
    /** Three servers that know nothing of each other: a lock is held on two of them. */
    QUORUM3,
    /** Five such servers, of which three are needed. */
    QUORUM5,
    /** A master, its replicas, and Sentinels that say who it is; the client follows them. */
    SENTINEL,
    /** Masters that have a part of the locks each, with a replica each; slots move from one to another. */
    CLUSTER;

    /** Whether locks are held on a majority. */
    boolean isQuorum() {
        return this == QUORUM3 || this == QUORUM5;
    }

    /** Whether clients have the real transport, over sockets that are played. */
    boolean hasSockets() {
        return this != SINGLE && this != FAILOVER;
    }

    /** The faults to draw from. */
    List<Fault> faults(Dice dice) {
        if (this == CLUSTER && dice.oneIn(4)) {
            // Nothing but that: nobody may lose anything.
            return List.of(Fault.SLOT_MOVES);
        }
        if (isQuorum()) {
            return quorumFaults();
        }
        List<Fault> faults = ofOneServer();
        if (this == CLUSTER) {
            faults.addAll(Collections.nCopies(6, Fault.FAILOVER));
            faults.addAll(Collections.nCopies(8, Fault.SLOT_MOVES));
            // So many of the others would be too rare.
            faults.addAll(Collections.nCopies(2, Fault.FOREIGN_VALUE));
        }
        if (this == FAILOVER || this == SENTINEL) {
            // One in a few: it is what this is about.
            faults.addAll(Collections.nCopies(8, Fault.FAILOVER));
        }
        return faults;
    }

    private static List<Fault> ofOneServer() {
        return Stream.of(Fault.values())
                .filter(fault ->
                        fault != Fault.FAILOVER && fault != Fault.SLOT_MOVES && fault.kind() != Fault.Kind.OPERATOR)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static List<Fault> quorumFaults() {
        List<Fault> faults = ofOneServer();
        // What a quorum is there for, and what its rules are about.
        faults.addAll(Collections.nCopies(4, Fault.SERVER_RESTART_EMPTY));
        faults.addAll(Collections.nCopies(3, Fault.SERVER_SLEEP));
        faults.addAll(Collections.nCopies(2, Fault.SLOW_NETWORK));
        faults.addAll(List.of(Fault.SERVER_RESTART, Fault.PARTITION, Fault.MESSAGE_LOSS));
        return faults;
    }

    /** How many servers a quorum has. */
    int servers() {
        return this == QUORUM5 ? 5 : 3;
    }

    /** Those of the catalogue that it shows, beyond what one server does. */
    public List<Integer> moreOfTheCatalogue() {
        return switch (this) {
            case SINGLE -> List.of();
            case FAILOVER -> List.of(12, 24);
            case SENTINEL -> List.of(12, 24, 25);
            case CLUSTER -> List.of(12, 24, 25, 36);
            case QUORUM3, QUORUM5 -> List.of(29, 30, 31);
        };
    }

    /** Those of one server that it does not show: it has no shares, no latches, no line, and its transport tells less. */
    public List<Integer> lessOfTheCatalogue() {
        return isQuorum() ? List.of(5, 6, 39, 40, 42, 44, 45, 58) : hasSockets() ? List.of(5, 42) : List.of();
    }
}
