package io.holdfast.redis;

import io.holdfast.spi.StoreUri;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * {@code redis-sentinel://[[user]:password@]host[:port],.../master[?database=0&sentinelUser=...&sentinelPassword=...]}, and
 * {@code rediss-sentinel://} for TLS to Sentinels and servers alike. The login before the hosts is that of the servers;
 * that of the Sentinels, if they want one, stands in the parameters.
 *
 * @param how null if TLS is spoken as the JVM does it by itself
 */
record SentinelUri(
        boolean tls,
        ServerList list,
        String master,
        int database,
        @Nullable String sentinelUser,
        @Nullable String sentinelPassword,
        @Nullable Tls how) {
    private static final int DEFAULT_PORT = 26379;
    private static final Set<String> PARAMETERS = Set.of("database", "sentinelUser", "sentinelPassword");

    static SentinelUri parse(StoreUri uri) {
        return parse(uri, null);
    }

    static SentinelUri parse(StoreUri uri, @Nullable Tls how) {
        ServerList list = ServerList.parse(uri, DEFAULT_PORT, rule -> refused(uri, rule));
        for (String name : list.parameters().keySet()) {
            if (!PARAMETERS.contains(name)) {
                throw refused(
                        uri, "has the parameter '" + name + "'; there are database, sentinelUser and sentinelPassword");
            }
        }
        if (!list.path().matches("[A-Za-z0-9._-]+")) {
            throw refused(
                    uri,
                    list.path().isEmpty()
                            ? "does not say which master"
                            : "has '" + list.path()
                                    + "' where the name of the master belongs: letters, digits and ._-");
        }
        String database = list.parameters().getOrDefault("database", "0");
        if (!database.matches("[0-9]{1,5}")) {
            throw refused(uri, "has '" + database + "' where the number of a database belongs");
        }
        String user = list.parameters().get("sentinelUser");
        String password = list.parameters().get("sentinelPassword");
        if (user != null && password == null) {
            throw refused(uri, "has a sentinelUser and no sentinelPassword");
        }
        return new SentinelUri(
                uri.scheme().equals("rediss-sentinel"),
                list,
                list.path(),
                Integer.parseInt(database),
                user,
                password,
                how);
    }

    private static IllegalArgumentException refused(StoreUri uri, String rule) {
        return new IllegalArgumentException("store URI '" + uri + "' " + rule
                + "; it should look like redis-sentinel://user:password@host1:26379,host2:26379,host3:26379/mymaster");
    }

    /** How to reach each Sentinel. */
    List<RedisUri> sentinels() {
        return list.servers().stream()
                .map(at -> new RedisUri(tls, at.getHost(), at.getPort(), sentinelUser, sentinelPassword, 0, how))
                .toList();
    }

    /** How to reach a server that the Sentinels name. */
    RedisUri server(HostAndPort at) {
        return new RedisUri(tls, at.getHost(), at.getPort(), list.user(), list.password(), database, how);
    }

    /** Without the passwords. */
    String address() {
        return (tls ? "rediss-sentinel://" : "redis-sentinel://") + list.text() + "/" + master
                + (database == 0 ? "" : "?database=" + database);
    }

    @Override
    public String toString() {
        return address();
    }
}
