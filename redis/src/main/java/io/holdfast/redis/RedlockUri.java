package io.holdfast.redis;

import io.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code redlock://[[user]:password@]host[:port],host[:port],…[/database][?maxLease=60s&nodeTimeout=50ms]}, and
 * {@code redlocks://} for TLS.
 */
final class RedlockUri {
    private static final Pattern PARTS = Pattern.compile("([^/?#]*)(/[^?#]*)?(?:\\?([^#]*))?");
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

    private RedlockUri() {}

    static RedlockSettings parse(StoreUri uri) {
        String rest = uri.text().substring(uri.scheme().length() + 1);
        Matcher parts = PARTS.matcher(rest.startsWith("//") ? rest.substring(2) : "#");
        if (!parts.matches() || uri.text().lastIndexOf('@') > uri.scheme().length() + 3 + parts.end(1)) {
            throw refused(uri, "is malformed; in a password write %2F, %3F and %23 for '/', '?' and '#'");
        }
        String authority = parts.group(1);
        int at = authority.lastIndexOf('@');
        String login = authority.substring(0, at + 1);
        String path = parts.group(2) == null ? "" : parts.group(2);
        List<RedisUri> servers = new ArrayList<>();
        for (String host : authority.substring(at + 1).split(",", -1)) {
            String single = (uri.scheme().equals("redlocks") ? "rediss://" : "redis://") + login + host + path;
            try {
                servers.add(RedisUri.parse(new StoreUri(single)));
            } catch (IllegalArgumentException e) {
                throw refused(uri, "cannot be understood where it says '" + host + "': " + e.getMessage());
            }
        }
        Duration maxLease = RedlockSettings.MAX_LEASE;
        Duration nodeTimeout = RedlockSettings.NODE_TIMEOUT;
        for (String parameter :
                parts.group(3) == null ? new String[0] : parts.group(3).split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            switch (name) {
                case "maxLease" -> maxLease = time(uri, name, parameter.substring(equals + 1));
                case "nodeTimeout" -> nodeTimeout = time(uri, name, parameter.substring(equals + 1));
                default -> throw refused(uri, "has '" + name + "' where maxLease or nodeTimeout belongs");
            }
        }
        try {
            return new RedlockSettings(servers, maxLease, nodeTimeout);
        } catch (IllegalArgumentException e) {
            throw refused(uri, "is refused: " + e.getMessage());
        }
    }

    private static Duration time(StoreUri uri, String name, String text) {
        Matcher time = TIME.matcher(text);
        if (!time.matches()) {
            throw refused(uri, "has " + name + "=" + text + ", which is no time such as 500ms, 60s or 10m");
        }
        long number = Long.parseLong(time.group(1));
        return switch (time.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    private static IllegalArgumentException refused(StoreUri uri, String rule) {
        return new IllegalArgumentException("store URI '" + uri + "' " + rule
                + "; it should look like redlock://user:password@h1:6379,h2:6379,h3:6379?maxLease=60s");
    }
}
