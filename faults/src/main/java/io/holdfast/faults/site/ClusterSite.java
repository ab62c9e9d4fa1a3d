package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.util.List;

/** Masters with a part of the keys and a replica each. */
public final class ClusterSite implements Site {
    private final RedisCluster servers = RedisCluster.start();

    ClusterSite() {}

    public RedisCluster servers() {
        return servers;
    }

    /** The slot of a lock of Holdfast; one of Redisson is elsewhere, and may be on another master. */
    public int slotOf(String lock) {
        return servers.slot("distributed_lock:" + lock);
    }

    @Override
    public Topology topology() {
        return Topology.CLUSTER;
    }

    @Override
    public List<Integer> ports(int place) {
        return ports();
    }

    @Override
    public List<Integer> ports() {
        return servers.nodes().stream().map(RedisServer::port).toList();
    }

    @Override
    public List<TcpProxy> networks(int place) {
        return List.of();
    }

    @Override
    public List<RedisServer> masters() {
        return servers.masters();
    }

    @Override
    public RedisServer masterOf(String lock) {
        return servers.masterOf(slotOf(lock));
    }

    @Override
    public void heal() {
        servers.heal();
    }

    @Override
    public void close() {
        servers.close();
    }
}
