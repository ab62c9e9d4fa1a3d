package io.holdfast.faults.site;

import io.holdfast.faults.contender.Topology;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The servers of a campaign. Another arrangement of Redis servers joins by another one of these; a store that is not Redis
 * would need faults of its own as well, since those there are befall a {@link RedisServer}. Used by one thread.
 */
public interface Site extends AutoCloseable {
    Topology topology();

    /** Where the process in that place connects to. */
    List<String> addresses(int place);

    /** Where one connects to whom no fault of the network befalls. */
    List<String> addresses();

    /** The networks between the process in that place and the servers; none if servers tell clients where to connect to. */
    default List<TcpProxy> networks(int place) {
        return List.of();
    }

    /** The network in which every process and every server has a host of its own; empty if there is none here. */
    default Optional<HostNetwork> hosts() {
        return Optional.empty();
    }

    /** Why the clocks of these servers cannot be set; empty if they can. */
    default String whyNoClocks() {
        return "servers that know each other have the clock of the machine";
    }

    /** All of them, whatever they do. */
    List<RedisServer> everyServer();

    /** Those that take writes now. */
    List<RedisServer> masters();

    /** The server that has the lock of that name now. */
    RedisServer masterOf(String lock);

    /** Starts and resumes what does not run, and waits until all is as it was at the beginning. */
    void heal();

    /** What runs there. */
    default String describe() {
        return topology().text() + ", Redis "
                + masters().get(0).info("server").getOrDefault("redis_version", "of unknown version");
    }

    /** All keys of all masters. */
    default Set<String> keys() {
        Set<String> keys = new TreeSet<>();
        masters().forEach(master -> keys.addAll(master.keys()));
        return keys;
    }

    @Override
    void close();

    /**
     * Starts the servers, and networks for so many processes.
     *
     * @param clocks whether the clocks of servers are to be set, if this machine can; these are of another version
     */
    static Site start(Topology topology, int places, boolean clocks) {
        return switch (topology) {
            case SINGLE -> new PlainSite(Topology.SINGLE, 1, places, clocks);
            case QUORUM -> new PlainSite(Topology.QUORUM, 5, places, clocks);
            case SENTINEL -> new SentinelSite(HostNetwork.create(places));
            case CLUSTER -> new ClusterSite(HostNetwork.create(places));
        };
    }
}
