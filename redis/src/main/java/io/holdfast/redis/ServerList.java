package io.holdfast.redis;

import io.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * {@code scheme://[[user]:password@]host[:port],host[:port]...[/path][?parameter=value&...]}, in which
 * {@link java.net.URI} finds no hosts.
 *
 * @param path what stands behind the first '/', decoded; empty if there is none
 */
record ServerList(
        List<HostAndPort> servers,
        @Nullable String user,
        @Nullable String password,
        String path,
        Map<String, String> parameters) {
    private static final Pattern WHOLE = Pattern.compile("//([^/?#]*)(?:/([^?#]*))?(?:\\?([^#]*))?");
    private static final Pattern SERVER =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)\\]|([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?))(?::([0-9]{1,6}))?");

    /** How to say no: with the masked URI, the rule, and an example. */
    interface Refusal {
        IllegalArgumentException refused(String rule);
    }

    static ServerList parse(StoreUri uri, int defaultPort, Refusal refusal) {
        Matcher whole = WHOLE.matcher(uri.rest());
        if (uri.text().chars().anyMatch(c -> c <= ' ' || c >= 127)) {
            throw refusal.refused("has a space, a control character or one beyond ASCII; write those as %XX");
        }
        boolean split = whole.matches();
        if (uri.rest().indexOf('@', endOfAuthority(uri.rest())) >= 0) {
            // What was taken for a host or a path may be part of a password, and must not be shown.
            throw refusal.refused(
                    "has an @ behind its first '/', '?' or '#'; in a password write %2F, %3F, %23 and %40");
        }
        if (!split) {
            throw refusal.refused("has no // before its hosts, or a fragment, which means nothing here");
        }
        String authority = whole.group(1);
        int at = authority.lastIndexOf('@');
        String user = null;
        String password = null;
        if (at >= 0) {
            String login = authority.substring(0, at);
            int colon = login.indexOf(':');
            if (colon < 0) {
                throw refusal.refused("has a user and no password; write user:password@ or :password@");
            }
            if (login.indexOf('@') >= 0) {
                throw refusal.refused("has an @ inside its login; write it as %40");
            }
            user = colon == 0 ? null : decoded(login.substring(0, colon), "its user", refusal);
            password = decoded(login.substring(colon + 1), "its password", refusal);
        }
        return new ServerList(
                servers(authority.substring(at + 1), defaultPort, refusal),
                user,
                password,
                whole.group(2) == null ? "" : decoded(whole.group(2), "its path", refusal),
                parameters(whole.group(3), refusal));
    }

    private static int endOfAuthority(String rest) {
        int end = rest.startsWith("//") ? 2 : 0;
        while (end < rest.length() && "/?#".indexOf(rest.charAt(end)) < 0) {
            end++;
        }
        return end;
    }

    private static List<HostAndPort> servers(String list, int defaultPort, Refusal refusal) {
        Set<HostAndPort> servers = new LinkedHashSet<>();
        for (String each : list.split(",", -1)) {
            Matcher server = SERVER.matcher(each);
            if (!server.matches()) {
                throw refusal.refused(
                        each.isEmpty()
                                ? "names no host, or has a comma too many"
                                : "has '" + each + "' where host:port belongs");
            }
            int port = server.group(3) == null ? defaultPort : Integer.parseInt(server.group(3));
            if (port == 0 || port > 65_535) {
                throw refusal.refused("has port " + port + ", which is not between 1 and 65535");
            }
            String host = server.group(1) == null ? server.group(2) : server.group(1);
            if (!servers.add(new HostAndPort(host, port))) {
                throw refusal.refused("names " + each + " twice");
            }
        }
        return List.copyOf(servers);
    }

    private static Map<String, String> parameters(@Nullable String query, Refusal refusal) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null) {
            return parameters;
        }
        for (String each : query.split("&", -1)) {
            int equals = each.indexOf('=');
            if (equals <= 0 || equals == each.length() - 1) {
                throw refusal.refused("has a parameter without a name or a value");
            }
            String name = each.substring(0, equals);
            if (parameters.put(name, decoded(each.substring(equals + 1), "its parameter " + name, refusal)) != null) {
                throw refusal.refused("has the parameter " + name + " twice");
            }
        }
        return parameters;
    }

    private static String decoded(String part, String what, Refusal refusal) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // The exception's own message may show part of it.
            throw refusal.refused("has a % in " + what + " that two hexadecimal digits do not follow");
        }
    }

    /** {@code host:port,host:port}, with brackets around what has colons of its own. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (HostAndPort server : servers) {
            text.append(text.isEmpty() ? "" : ",").append(text(server));
        }
        return text.toString();
    }

    static String text(HostAndPort server) {
        String host = server.getHost();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + server.getPort();
    }

    @Override
    public String toString() {
        return text();
    }
}
