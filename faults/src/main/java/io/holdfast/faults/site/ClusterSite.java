package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import java.util.List;
import java.util.Optional;

/** Masters with a part of the keys and a replica each. */
public final class ClusterSite implements Site {
    private final Optional<HostNetwork> network;
    private final RedisCluster servers;

    ClusterSite(Optional<HostNetwork> network) {
        this.network = network;
        this.servers = network.map(each -> RedisCluster.start(each.network())).orElseGet(RedisCluster::start);
    }

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
    public List<String> addresses(int place) {
        return addresses();
    }

    @Override
    public List<String> addresses() {
        return servers.nodes().stream().map(RedisServer::address).toList();
    }

    @Override
    public Optional<HostNetwork> hosts() {
        return network;
    }

    @Override
    public List<RedisServer> everyServer() {
        return servers.nodes();
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
        network.ifPresent(each -> each.network().heal());
        servers.heal();
    }

    @Override
    public void close() {
        servers.close();
        network.ifPresent(HostNetwork::close);
    }
}
