package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A master, its replicas and its Sentinels. */
public final class SentinelSite implements Site {
    private final Optional<HostNetwork> network;
    private final RedisSentinels servers;

    SentinelSite(Optional<HostNetwork> network) {
        this.network = network;
        this.servers = network.map(each -> RedisSentinels.start(each.network())).orElseGet(RedisSentinels::start);
    }

    public RedisSentinels servers() {
        return servers;
    }

    @Override
    public Topology topology() {
        return Topology.SENTINEL;
    }

    @Override
    public List<String> addresses(int place) {
        return addresses();
    }

    @Override
    public List<String> addresses() {
        return servers.sentinels().stream().map(RedisServer::address).toList();
    }

    @Override
    public Optional<HostNetwork> hosts() {
        return network;
    }

    @Override
    public List<RedisServer> everyServer() {
        List<RedisServer> all = new ArrayList<>(servers.sentinels());
        all.addAll(servers.servers());
        return all;
    }

    @Override
    public List<RedisServer> masters() {
        return List.of(servers.master());
    }

    @Override
    public RedisServer masterOf(String lock) {
        return servers.master();
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
