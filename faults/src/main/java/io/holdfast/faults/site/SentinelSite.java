package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.util.List;

/** A master, its replicas and its Sentinels. */
public final class SentinelSite implements Site {
    private final RedisSentinels servers = RedisSentinels.start();

    SentinelSite() {}

    public RedisSentinels servers() {
        return servers;
    }

    @Override
    public Topology topology() {
        return Topology.SENTINEL;
    }

    @Override
    public List<Integer> ports(int place) {
        return ports();
    }

    @Override
    public List<Integer> ports() {
        return servers.sentinels().stream().map(RedisServer::port).toList();
    }

    @Override
    public List<TcpProxy> networks(int place) {
        return List.of();
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
        servers.heal();
    }

    @Override
    public void close() {
        servers.close();
    }
}
