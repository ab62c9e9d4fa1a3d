package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RedisServerBuilder;
import io.holdfast.servers.TcpProxy;
import java.util.ArrayList;
import java.util.List;

/** Servers that know nothing of each other, and a network of its own between each process and each of them. */
final class PlainSite implements Site {
    private final Topology topology;
    private final String whyNoClocks;
    private final List<RedisServer> servers = new ArrayList<>();
    private final List<List<TcpProxy>> networks = new ArrayList<>();

    PlainSite(Topology topology, int servers, int places, boolean clocks) {
        this.topology = topology;
        this.whyNoClocks = clocks ? RedisServer.whyNoMovableClock() : "that takes servers of Redis 6.2: --clocks";
        for (int i = 0; i < servers; i++) {
            RedisServerBuilder server = RedisServer.builder();
            if (whyNoClocks.isEmpty()) {
                server.version(RedisServer.Version.V6_2).movableClock();
            }
            // One alone keeps its data over a restart, as it should; of five, one that forgets is to be borne.
            this.servers.add((servers == 1 ? server.persistent() : server).start());
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
    public List<String> addresses(int place) {
        return networks.get(place).stream()
                .map(network -> "127.0.0.1:" + network.port())
                .toList();
    }

    @Override
    public List<String> addresses() {
        return servers.stream().map(RedisServer::address).toList();
    }

    @Override
    public List<TcpProxy> networks(int place) {
        return networks.get(place);
    }

    @Override
    public String whyNoClocks() {
        return whyNoClocks;
    }

    @Override
    public List<RedisServer> everyServer() {
        return List.copyOf(servers);
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
