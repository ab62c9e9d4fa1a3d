package io.holdfast.redis;

import io.holdfast.spi.StoreUri;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * {@code redis://[[user]:password@]host[:port][/database]}, and {@code rediss://} for TLS.
 *
 * @param how null if TLS is spoken as the JVM does it by itself
 */
record RedisUri(
        boolean tls,
        String host,
        int port,
        @Nullable String user,
        @Nullable String password,
        int database,
        @Nullable Tls how) {
    private static final int DEFAULT_PORT = 6379;

    RedisUri(boolean tls, String host, int port, @Nullable String user, @Nullable String password, int database) {
        this(tls, host, port, user, password, database, null);
    }

    /** The same server, with TLS spoken that way. */
    RedisUri speaking(@Nullable Tls other) {
        return new RedisUri(tls, host, port, user, password, database, other);
    }

    static RedisUri parse(StoreUri uri) {
        URI parts;
        try {
            parts = new URI(uri.text());
        } catch (URISyntaxException e) {
            // The exception's own message contains the whole URI, password included.
            throw refused(uri, "is malformed at position " + e.getIndex());
        }
        String authority = parts.getRawAuthority();
        int end = authority == null ? 0 : uri.scheme().length() + "://".length() + authority.length();
        if (uri.text().indexOf('@', end) >= 0) {
            // What was taken for a host, a port or a path may be part of a password, and must not be shown.
            throw refused(uri, "has an @ behind its first '/', '?' or '#'; in a password write %2F, %3F and %23");
        }
        String host = parts.getHost();
        if (host == null) {
            // So says java.net.URI for all of these.
            throw refused(uri, "names no host, or one with an underscore, or a port that is no number");
        }
        if (parts.getQuery() != null || parts.getFragment() != null) {
            throw refused(uri, "has a query or a fragment, which mean nothing here");
        }
        String user = null;
        String password = null;
        String login = parts.getRawUserInfo();
        if (login != null) {
            int colon = login.indexOf(':');
            if (colon < 0) {
                throw refused(uri, "has a user and no password; write user:password@ or :password@");
            }
            user = colon == 0 ? null : decoded(login.substring(0, colon));
            password = decoded(login.substring(colon + 1));
        }
        int port = parts.getPort() < 0 ? DEFAULT_PORT : parts.getPort();
        if (port == 0 || port > 65_535) {
            throw refused(uri, "has port " + port + ", which is not between 1 and 65535");
        }
        String bareHost = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new RedisUri(
                uri.scheme().equals("rediss"), bareHost, port, user, password, database(uri, parts.getPath()));
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static int database(StoreUri uri, @Nullable String path) {
        if (path == null || path.isEmpty() || path.equals("/")) {
            return 0;
        }
        if (!path.matches("/[0-9]{1,5}")) {
            throw refused(uri, "has '" + path.substring(1) + "' where the number of a database belongs");
        }
        return Integer.parseInt(path.substring(1));
    }

    private static IllegalArgumentException refused(StoreUri uri, String rule) {
        return new IllegalArgumentException(
                "store URI '" + uri + "' " + rule + "; it should look like redis://user:password@host:6379/0");
    }

    HostAndPort server() {
        return new HostAndPort(host, port);
    }

    /** Without the password. */
    String address() {
        return (tls ? "rediss://" : "redis://") + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port
                + (database == 0 ? "" : "/" + database);
    }

    @Override
    public String toString() {
        return address();
    }
}
