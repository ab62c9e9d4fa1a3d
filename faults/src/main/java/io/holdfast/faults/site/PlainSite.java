package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.util.ArrayList;
import java.util.List;

/** Servers that know nothing of each other, and a network of its own between each process and each of them. */
final class PlainSite implements Site {
    private final Topology topology;
    private final List<RedisServer> servers = new ArrayList<>();
    private final List<List<TcpProxy>> networks = new ArrayList<>();

    PlainSite(Topology topology, int servers, int places) {
        this.topology = topology;
        for (int i = 0; i < servers; i++) {
            // One alone keeps its data over a restart, as it should; of five, one that forgets is to be borne.
            this.servers.add(servers == 1 ? RedisServer.builder().persistent().start() : RedisServer.start());
        }
        for (int i = 0; i < places; i++) {
            networks.add(this.servers.stream()
                    .map(server -> TcpProxy.to(server.port()))
                    .toList());
        }
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public List<Integer> ports(int place) {
        return networks.get(place).stream().map(TcpProxy::port).toList();
    }

    @Override
    public List<Integer> ports() {
        return servers.stream().map(RedisServer::port).toList();
    }

    @Override
    public List<TcpProxy> networks(int place) {
        return networks.get(place);
    }

    @Override
    public List<RedisServer> masters() {
        return List.copyOf(servers);
    }

    @Override
    public RedisServer masterOf(String lock) {
        return servers.get(0);
    }

    @Override
    public void heal() {
        networks.forEach(own -> own.forEach(TcpProxy::restore));
        for (RedisServer server : servers) {
            if (server.isRunning()) {
                server.resume();
            } else {
                server.restart();
            }
            server.waitUntilReady();
        }
    }

    @Override
    public void close() {
        networks.forEach(own -> own.forEach(TcpProxy::close));
        servers.forEach(RedisServer::close);
    }
}
