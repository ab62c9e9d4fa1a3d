package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import java.util.EnumMap;
import java.util.Map;

/** Servers for tests that leave nothing behind but keys: one of each version, which ends with the JVM. */
public final class SharedRedis {
    private static final Map<RedisServer.Version, RedisServer> SERVERS = new EnumMap<>(RedisServer.Version.class);

    private SharedRedis() {}

    /** A server of 7.0 without a key in it. */
    public static RedisServer empty() {
        return empty(RedisServer.Version.V7_0);
    }

    /** A server without a key in it. */
    public static synchronized RedisServer empty(RedisServer.Version version) {
        RedisServer server = SERVERS.computeIfAbsent(version, RedisServer::start);
        server.flushAll();
        return server;
    }
}
