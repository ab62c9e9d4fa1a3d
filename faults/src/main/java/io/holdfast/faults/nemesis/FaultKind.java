package io.holdfast.faults.nemesis;

import static io.holdfast.faults.contender.Topology.CLUSTER;
import static io.holdfast.faults.contender.Topology.QUORUM;
import static io.holdfast.faults.contender.Topology.SENTINEL;
import static io.holdfast.faults.contender.Topology.SINGLE;

import io.holdfast.faults.contender.Topology;
import java.util.Arrays;
import java.util.List;

/** What can befall. Those outside the timing model may lead to two holders; what happens then is counted, and no violation. */
public enum FaultKind {
    NONE("nothing", false),
    KILL("kill -9 of a client", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    PAUSE("a client paused, 0.1 to 3 leases", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    CUT("a client cut off, connections refused", false, SINGLE, QUORUM),
    SILENCE("a client cut off, connections silent", false, SINGLE, QUORUM),
    DELAY("a client's messages late", false, SINGLE, QUORUM),
    LOST_REPLIES("a client's replies lost", false, SINGLE, QUORUM),
    LOST_ACQUIRE("an acquire done, its reply lost", false, SINGLE),
    SERVER_PAUSE("a server paused, 0.1 to 3 leases", false, SINGLE, QUORUM),
    SERVER_LONG_PAUSE("a server paused for 4 s", false, SINGLE),
    SERVER_KILL("kill -9 of a server, restarted with its data", false, SINGLE),
    SERVER_RESTART("kill -9 of one of five, restarted empty", false, QUORUM),
    RESET("all connections reset by the server", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    MEMORY("memory full", false, SINGLE, CLUSTER, QUORUM),
    CONNECTIONS("no more connections accepted", false, SINGLE),
    ACL("scripts forbidden by ACL", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    SCRIPTS("SCRIPT FLUSH", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    MAJORITY_PAUSE("three of five servers paused", false, QUORUM),
    RESHARD("a slot with a lock in it moved", false, CLUSTER),
    FLUSH("FLUSHALL", true, SINGLE, SENTINEL, CLUSTER, QUORUM),
    EMPTY("kill -9 of a server, restarted empty", true, SINGLE),
    SERVER_CLOCK("a server's clock stepped (not built yet)", true),
    CLIENT_CLOCK("a client's wall clock stepped (not built yet)", false),
    FAILOVER("failover on command", true, SENTINEL, CLUSTER),
    CRASH("kill -9 of a master, a replica takes over", true, SENTINEL, CLUSTER),
    MASTER_PAUSE("a master paused until it is replaced", true, SENTINEL, CLUSTER),
    NAMESPACE("a partition between network namespaces (not built yet)", false);

    private final String text;
    private final boolean outside;

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable one
    private final List<Topology> topologies;

    FaultKind(String text, boolean outside, Topology... topologies) {
        this.text = text;
        this.outside = outside;
        this.topologies = List.of(topologies);
    }

    public String text() {
        return text;
    }

    /** Whether the timing model says that it does not happen. */
    public boolean isOutside() {
        return outside;
    }

    /** Whether fencing tokens may fall with it, too. */
    public boolean stepsTokens() {
        return this == SERVER_CLOCK || this == FAILOVER || this == CRASH || this == MASTER_PAUSE;
    }

    static List<FaultKind> of(Topology topology) {
        return Arrays.stream(values())
                .filter(kind -> kind.topologies.contains(topology))
                .toList();
    }
}
