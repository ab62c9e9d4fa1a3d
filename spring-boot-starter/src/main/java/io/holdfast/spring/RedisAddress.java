package io.holdfast.spring;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Where the application's Redis is, from {@code spring.data.redis}, as a URI of Holdfast's. Read from the environment, since the
 * classes that Boot binds these properties to have other names in Boot 3 and 4.
 *
 * @param uri secrets included
 * @param sslBundle the SSL bundle that the application uses for Redis
 */
record RedisAddress(String uri, @Nullable String sslBundle) {
    private static final String PREFIX = "spring.data.redis.";

    static RedisAddress of(Environment environment) {
        return new Reader(Binder.get(environment)).read();
    }

    private record Reader(Binder binder) {

        RedisAddress read() {
            String bundle = text("ssl.bundle");
            boolean tls = binder.bind(PREFIX + "ssl.enabled", Boolean.class).orElse(bundle != null);
            // The same precedence as Boot's.
            String master = text("sentinel.master");
            if (master != null) {
                return new RedisAddress(sentinel(master, tls), tls ? bundle : null);
            }
            List<String> nodes = list("cluster.nodes");
            if (!nodes.isEmpty()) {
                String hosts = login(text("username"), text("password")) + String.join(",", nodes);
                return new RedisAddress((tls ? "rediss" : "redis") + "-cluster://" + hosts, tls ? bundle : null);
            }
            if (!list("masterreplica.nodes").isEmpty()) {
                throw new HoldfastConfigurationException(
                        "spring.data.redis.masterreplica names a master and its replicas, and Holdfast does not find the"
                                + " master by itself",
                        "Set holdfast.uri to the master, such as redis://user:password@host:6379, or use Sentinels.");
            }
            String url = text("url");
            return url == null ? single(tls, bundle) : byUrl(url, tls, bundle);
        }

        private String sentinel(String master, boolean tls) {
            List<String> nodes = list("sentinel.nodes");
            if (nodes.isEmpty()) {
                throw new HoldfastConfigurationException(
                        "spring.data.redis.sentinel.master is set, but spring.data.redis.sentinel.nodes is not",
                        "Set spring.data.redis.sentinel.nodes to the Sentinels, such as host1:26379,host2:26379.");
            }
            StringBuilder uri = new StringBuilder(tls ? "rediss" : "redis")
                    .append("-sentinel://")
                    .append(login(text("username"), text("password")))
                    .append(String.join(",", nodes))
                    .append('/')
                    .append(master)
                    .append("?database=")
                    .append(number("database", 0));
            String password = text("sentinel.password");
            if (password != null) {
                String user = text("sentinel.username");
                if (user != null) {
                    uri.append("&sentinelUser=").append(encoded(user));
                }
                uri.append("&sentinelPassword=").append(encoded(password));
            }
            return uri.toString();
        }

        private RedisAddress single(boolean tls, @Nullable String bundle) {
            String host = text("host");
            String name = host == null ? "localhost" : host;
            String bracketed = name.indexOf(':') >= 0 && !name.startsWith("[") ? "[" + name + "]" : name;
            String uri = (tls ? "rediss://" : "redis://") + login(text("username"), text("password")) + bracketed + ":"
                    + number("port", 6379) + "/" + number("database", 0);
            return new RedisAddress(uri, tls ? bundle : null);
        }

        /**
         * As Boot reads it: what stands alone before the @ is a password, and host, port and login come from here only. TLS is
         * spoken if either the scheme or the other properties ask for it.
         */
        private RedisAddress byUrl(String url, boolean tlsByProperties, @Nullable String bundle) {
            URI parts;
            try {
                parts = new URI(url);
            } catch (URISyntaxException e) {
                // The exception's own message contains the whole URL, password included.
                throw malformed("is malformed at position " + e.getIndex());
            }
            String scheme = parts.getScheme();
            if (!"redis".equals(scheme) && !"rediss".equals(scheme)) {
                throw malformed("does not start with redis:// or rediss://");
            }
            if (parts.getHost() == null) {
                throw malformed("names no host");
            }
            String user = null;
            String password = null;
            String login = parts.getUserInfo();
            if (login != null) {
                int colon = login.indexOf(':');
                user = colon > 0 ? login.substring(0, colon) : null;
                password = login.substring(colon + 1);
            }
            boolean tls = tlsByProperties || scheme.equals("rediss");
            String path = parts.getPath() == null ? "" : parts.getPath();
            String uri = (tls ? "rediss://" : "redis://") + login(user, password) + parts.getHost() + ":"
                    + (parts.getPort() < 0 ? 6379 : parts.getPort()) + path;
            return new RedisAddress(uri, tls ? bundle : null);
        }

        private static HoldfastConfigurationException malformed(String rule) {
            return new HoldfastConfigurationException(
                    "spring.data.redis.url " + rule, "Write it like redis://user:password@host:6379/0.");
        }

        private static String login(@Nullable String user, @Nullable String password) {
            if (password == null) {
                return "";
            }
            return (user == null ? "" : encoded(user)) + ":" + encoded(password) + "@";
        }

        private static String encoded(String part) {
            return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
        }

        private @Nullable String text(String name) {
            String value = binder.bind(PREFIX + name, String.class).orElse("");
            return value.isEmpty() ? null : value;
        }

        private int number(String name, int otherwise) {
            return binder.bind(PREFIX + name, Integer.class).orElse(otherwise);
        }

        private List<String> list(String name) {
            return binder.bind(PREFIX + name, Bindable.listOf(String.class)).orElse(List.of());
        }
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return uri.replaceAll("//.*@", "//***@").replaceAll("Password=.*", "Password=***");
    }
}
