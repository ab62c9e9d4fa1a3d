package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.util.List;
import java.util.function.IntSupplier;
import redis.clients.jedis.HostAndPort;

/** How the nodes of a cluster are reached. */
interface ClusterServers {

    /** The nodes to begin with; the others are asked for. */
    List<HostAndPort> seeds();

    /**
     * Connections to a node.
     *
     * @param slot tells one of the slots that the node is said to have; below zero if it has none
     * @param platform opens them, if it is one that does
     */
    ConnectionSource node(HostAndPort at, IntSupplier slot, Platform platform);

    /** Where the cluster is, without secrets. */
    String address();
}
