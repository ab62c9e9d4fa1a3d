package io.holdfast.simulation.net;

import io.holdfast.redis.link.Dialer;
import io.holdfast.simulation.world.SimPlatform;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** One client's sockets to several servers, for the stores that run on the real transport. */
public final class SimNet implements Dialer, Way {
    private final SimPlatform platform;
    private final Network network;
    private final Map<String, Server> servers;
    private final String inboxes;
    private final int enough;
    private final Set<SimSocket> open = new LinkedHashSet<>();
    private long refusals;

    /**
     * The network as one client sees it.
     *
     * @param servers by the name that a client calls them by
     * @param inboxes what the names of inboxes start with
     * @param enough how many inboxes have to be open for the client to hear
     */
    public SimNet(SimPlatform platform, Network network, Map<String, Server> servers, String inboxes, int enough) {
        this.platform = platform;
        this.network = network;
        this.servers = Map.copyOf(servers);
        this.inboxes = inboxes;
        this.enough = enough;
    }

    @Override
    public Socket dial(String host, int port, Duration timeout) {
        Server server = servers.get(host);
        if (server == null) {
            throw new JedisConnectionException("nobody is called " + host);
        }
        SimSocket socket = new SimSocket(platform, network, server, this);
        open.add(socket);
        try {
            socket.connect(timeout.toNanos());
        } catch (IOException e) {
            open.remove(socket);
            throw new JedisConnectionException("Failed to connect to " + host + ": " + e.getMessage(), e);
        }
        return socket;
    }

    void forget(SimSocket socket) {
        open.remove(socket);
    }

    Hits hits() {
        return network.hits();
    }

    void heard(List<String> command, @Nullable Object reply) {
        if (Commands.asks(command) && Commands.isRefusal(reply)) {
            refusals++;
        }
    }

    @Override
    public long refusals() {
        return refusals;
    }

    @Override
    public long inboxSince() {
        return open.stream()
                .mapToLong(socket -> socket.hearsSince(inboxes))
                .sorted()
                .skip(enough - 1L)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    @Override
    public void die() {
        List.copyOf(open).forEach(SimSocket::die);
    }
}
