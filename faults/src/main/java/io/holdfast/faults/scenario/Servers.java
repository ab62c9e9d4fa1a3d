package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Servers on the loopback address, where what arrives at them can be seen.
 *
 * @param addresses where clients connect to
 * @param networks the proxy before one server; none before the others
 * @param masters those that take writes now
 * @param master the one that has a lock whose name brings its own tag
 */
record Servers(
        List<String> addresses,
        List<TcpProxy> networks,
        Supplier<List<RedisServer>> masters,
        Function<String, RedisServer> master,
        Runnable end)
        implements AutoCloseable {

    static Servers start(Topology topology) {
        return switch (topology) {
            case SINGLE -> {
                RedisServer server = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(server.port());
                yield new Servers(
                        addresses(List.of(proxy.port())), List.of(proxy), () -> List.of(server), any -> server, () -> {
                            proxy.close();
                            server.close();
                        });
            }
            case SENTINEL -> {
                RedisSentinels all = RedisSentinels.start();
                yield new Servers(
                        addresses(
                                all.sentinels().stream().map(RedisServer::port).toList()),
                        List.of(),
                        () -> List.of(all.master()),
                        any -> all.master(),
                        all::close);
            }
            case CLUSTER -> {
                RedisCluster all = RedisCluster.start();
                yield new Servers(
                        addresses(all.nodes().stream().map(RedisServer::port).toList()),
                        List.of(),
                        all::masters,
                        name -> all.masterOf(all.slot(name)),
                        all::close);
            }
            case QUORUM -> throw new IllegalArgumentException("no scenario is for a quorum");
        };
    }

    private static List<String> addresses(List<Integer> ports) {
        return ports.stream().map(port -> "127.0.0.1:" + port).toList();
    }

    RedisServer masterOf(String lock) {
        return master.apply(lock);
    }

    @Override
    public void close() {
        end.run();
    }
}
