package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.contract.StoreControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Independent servers with a network before each of them, vouched for unless told otherwise. */
public final class FiveServers implements StoreControl, AutoCloseable {
    private static final String PREFIX = "distributed_lock:";

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<TcpProxy> networks = new ArrayList<>();

    public FiveServers() {
        this(5, RedisServer.Version.V7_0);
    }

    public FiveServers(int count, RedisServer.Version version) {
        this(count, RedisServer.builder().version(version)::start);
    }

    private FiveServers(int count, Supplier<RedisServer> starts) {
        for (int i = 0; i < count; i++) {
            RedisServer server = starts.get();
            servers.add(server);
            networks.add(TcpProxy.to(server.port()));
        }
    }

    /** Servers whose clocks can be set, each by itself. */
    public static FiveServers withMovableClocks(int count) {
        return new FiveServers(
                count,
                () -> RedisServer.builder()
                        .version(RedisServer.Version.V6_2)
                        .movableClock()
                        .start());
    }

    public RedisServer server(int index) {
        return servers.get(index);
    }

    public List<RedisServer> servers() {
        return servers;
    }

    public TcpProxy network(int index) {
        return networks.get(index);
    }

    public List<TcpProxy> networks() {
        return networks;
    }

    /** The servers as clients reach them, through the networks. */
    public RedlockServers factory() {
        return RedlockStore.on(networks.stream()
                .map(network -> "redis://127.0.0.1:" + network.port())
                .toArray(String[]::new));
    }

    /** As {@link #factory()}, all counting from the start whatever the longest lease. */
    public RedlockServers vouched(Duration maxLease) {
        RedlockServers factory = factory().maxLease(maxLease);
        factory.vouch(PREFIX);
        return factory;
    }

    /** The URI that goes through the networks. */
    public String networkUri(String parameters) {
        return "redlock://"
                + networks.stream()
                        .map(network -> "127.0.0.1:" + network.port())
                        .collect(Collectors.joining(","))
                + parameters;
    }

    /** The URI that goes to the servers themselves. */
    public String uri(String parameters) {
        return "redlock://"
                + servers.stream().map(server -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","))
                + parameters;
    }

    @Override
    public void expire(String lockName) {
        servers.forEach(server -> server.command("DEL", PREFIX + lockName));
    }

    @Override
    public void loseEverything() {
        for (RedisServer server : servers) {
            Object vouched = server.command("GET", PREFIX + "~vouched");
            server.flushAll();
            if (vouched != null) {
                // The test is about locks that are gone, not about servers that have just been started.
                server.command("SET", PREFIX + "~vouched", String.valueOf(vouched));
            }
        }
    }

    @Override
    public List<String> leftovers() {
        return servers.stream()
                .flatMap(server -> Leftovers.of(server).stream().map(key -> server.port() + " " + key))
                .filter(key -> !key.endsWith("~vouched"))
                .toList();
    }

    /** Whether no key of a lock is left. Clients that are open have one that says who they are. */
    public boolean haveNoLock() {
        return leftovers().stream().allMatch(key -> key.contains("~client:"));
    }

    @Override
    public Optional<String> processUri() {
        return Optional.of(uri("?maxLease=24h&nodeTimeout=400ms"));
    }

    @Override
    public boolean canCut() {
        return true;
    }

    /** All of them stop. What was sent to them is answered when they go on. */
    @Override
    public void cut() {
        servers.forEach(RedisServer::pause);
    }

    @Override
    public void restore() {
        servers.forEach(RedisServer::resume);
    }

    @Override
    public void close() {
        networks.forEach(TcpProxy::close);
        servers.forEach(RedisServer::close);
    }
}
