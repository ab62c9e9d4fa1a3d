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
    CLIENT_CLOCK("a client's wall clock stepped by minutes, and back", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    CUT("a client cut off, connections refused", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    SILENCE("a client cut off, connections silent", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    DELAY("a client's messages late", false, SINGLE, QUORUM),
    LOST_REPLIES("a client's replies lost", false, SINGLE, SENTINEL, CLUSTER, QUORUM),
    PARTITION("a client cut off from one server, or two of five", false, SENTINEL, CLUSTER, QUORUM),
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
    SERVER_CLOCK("a server's clock stepped, 1.5 to 10 leases forward", true, SINGLE, QUORUM),
    FAILOVER("failover on command", true, SENTINEL, CLUSTER),
    CRASH("kill -9 of a master, a replica takes over", true, SENTINEL, CLUSTER),
    MASTER_SHORT_PAUSE("a master paused, 0.1 to 3 leases, perhaps replaced", true, SENTINEL, CLUSTER),
    MASTER_PAUSE("a master paused until it is replaced", true, SENTINEL, CLUSTER),
    MASTER_PARTITION("a master cut off from the other servers and some clients", true, SENTINEL, CLUSTER);

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

    /** Whether another master takes over, whose fencing tokens may be lower. */
    public boolean isFailover() {
        return this == FAILOVER || this == CRASH || this == MASTER_PAUSE || this == MASTER_PARTITION;
    }

    /** Whether another master may have taken over. */
    public boolean mayBeFailover() {
        return isFailover() || this == MASTER_SHORT_PAUSE;
    }

    /** Whether a server forgets what it knew, the counter of the fencing tokens included. */
    public boolean losesState() {
        return this == FLUSH || this == EMPTY;
    }

    /** Whether the servers tell clients where to connect to, so that it takes hosts of their own to be in between. */
    boolean needsHosts(Topology topology) {
        boolean network = this == CUT || this == SILENCE || this == LOST_REPLIES || this == PARTITION;
        return (network && (topology == SENTINEL || topology == CLUSTER)) || this == MASTER_PARTITION;
    }

    static List<FaultKind> of(Topology topology) {
        return Arrays.stream(values())
                .filter(kind -> kind.topologies.contains(topology))
                .toList();
    }
}
