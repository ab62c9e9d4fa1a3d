package io.holdfast.redis;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which servers make up a quorum, and what all its clients agree on.
 *
 * @param maxLease the longest lease there is; a server that was started does not count before this time is over
 * @param nodeTimeout how long one server may take to answer
 */
record RedlockSettings(List<RedisUri> servers, Duration maxLease, Duration nodeTimeout) {
    static final Duration MAX_LEASE = Duration.ofSeconds(60);
    static final Duration NODE_TIMEOUT = Duration.ofMillis(50);
    private static final Duration LONGEST_LEASE = Duration.ofHours(24);
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(5);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(500);

    RedlockSettings {
        servers = List.copyOf(servers);
        if (servers.size() < Quorum.FEWEST) {
            throw new IllegalArgumentException("a quorum has at least " + Quorum.FEWEST
                    + " servers, so that it can do without one; there are " + servers.size());
        }
        Set<String> addresses = new HashSet<>();
        for (RedisUri server : servers) {
            if (!addresses.add(server.host() + ":" + server.port())) {
                throw new IllegalArgumentException(server.address() + " is named twice, and would vote twice");
            }
        }
        between("maxLease", maxLease, SHORTEST_LEASE, LONGEST_LEASE);
        between("nodeTimeout", nodeTimeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
    }

    private static void between(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " " + value.toMillis() + " ms is not between " + least.toMillis()
                    + " ms and " + (most.equals(LONGEST_LEASE) ? "24 h" : most.toMillis() + " ms"));
        }
    }

    /** The time within which servers mostly answer: what is left to chance and to the quick is measured by it. */
    Duration pace() {
        return nodeTimeout.compareTo(NODE_TIMEOUT) < 0 ? nodeTimeout : NODE_TIMEOUT;
    }

    RedlockSettings withMaxLease(Duration longest) {
        return new RedlockSettings(servers, longest, nodeTimeout);
    }

    RedlockSettings withNodeTimeout(Duration longest) {
        return new RedlockSettings(servers, maxLease, longest);
    }

    RedlockSettings speaking(@Nullable Tls how) {
        return new RedlockSettings(
                servers.stream().map(server -> server.speaking(how)).toList(), maxLease, nodeTimeout);
    }

    /** Without passwords. */
    String address() {
        boolean tls = servers.stream().allMatch(RedisUri::tls);
        return (tls ? "redlocks://" : "redlock://")
                + servers.stream()
                        .map(server -> server.address().replaceFirst("^rediss?://", ""))
                        .collect(Collectors.joining(","));
    }
}
