package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.spi.StoreUri;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The least that a user of Redis must be allowed, for everything that a client does. Immutable.
 *
 * <pre>{@code
 * System.out.println(LeastRights.of("redis://db1:6379", "distributed_lock:").rule("app"));
 * }</pre>
 *
 * <p>{@code INFO} is needed only in a quorum, but is useful everywhere: a client can then tell a restart of the server from a mere break
 * of the connection, and a health check can read what weakens the locks.
 */
public final class LeastRights {
    /** What a health check reads beyond that. {@code CONFIG GET} tells passwords too, and is asked for one setting alone. */
    public static final List<String> TO_CHECK = List.of("+info", "+config|get");

    private static final List<String> OF_EVERY_SERVER = List.of(
            "+eval",
            "+evalsha",
            "+time",
            "+get",
            "+getrange",
            "+set",
            "+del",
            "+exists",
            "+pttl",
            "+pexpire",
            "+zadd",
            "+zrem",
            "+zrange",
            "+zrank",
            "+zscore",
            "+zcard",
            "+hget",
            "+hset",
            "+hsetnx",
            "+hdel",
            "+hlen",
            "+publish",
            "+pubsub|numsub",
            "+subscribe",
            "+ping",
            "+scan",
            "+wait");

    /** Nobody queues or shares there, and how long a server is up has to be read. */
    private static final List<String> OF_A_QUORUM = List.of(
            "+eval",
            "+evalsha",
            "+time",
            "+get",
            "+getrange",
            "+set",
            "+del",
            "+exists",
            "+pttl",
            "+pexpire",
            "+zadd",
            "+zrem",
            "+zrange",
            "+zscore",
            "+publish",
            "+subscribe",
            "+ping",
            "+scan",
            "+info");

    private final List<String> scope;
    private final List<String> commands;

    private LeastRights(List<String> scope, List<String> commands) {
        this.scope = List.copyOf(scope);
        this.commands = List.copyOf(commands);
    }

    /**
     * What is needed on the servers of a store: one server, those behind Sentinels, the nodes of a cluster, or
     * the servers of a quorum.
     *
     * @param uri the store's, of which no secret is kept
     * @param keyPrefix what every key starts with
     * @throws IllegalArgumentException if that is no store on Redis
     */
    public static LeastRights of(String uri, String keyPrefix) {
        StoreUri store = new StoreUri(uri);
        List<String> commands = new ArrayList<>(OF_EVERY_SERVER);
        switch (store.scheme()) {
            case "redis", "rediss" -> {
                if (RedisUri.parse(store).database() != 0) {
                    commands.add("+select");
                }
            }
            case "redis-sentinel", "rediss-sentinel" -> {
                commands.add("+role");
                if (SentinelUri.parse(store).database() != 0) {
                    commands.add("+select");
                }
            }
            case "redis-cluster", "rediss-cluster" -> {
                ClusterUri.parse(store);
                commands.add("+cluster|slots");
                commands.add("+asking");
            }
            case "redlock", "redlocks" -> {
                commands = new ArrayList<>(OF_A_QUORUM);
                if (RedlockUri.parse(store).servers().stream().anyMatch(server -> server.database() != 0)) {
                    commands.add("+select");
                }
            }
            default -> throw new IllegalArgumentException("store URI '" + store + "' is none of Redis");
        }
        String prefix = literal(requireNonNull(keyPrefix, "keyPrefix"));
        return new LeastRights(
                List.of("resetkeys", "~" + prefix + "*", "resetchannels", "&" + prefix + "~inbox:*"), commands);
    }

    /** What is needed on the Sentinels themselves, if they want a login. */
    public static LeastRights ofSentinels() {
        return new LeastRights(
                List.of("resetchannels", "&+switch-master"),
                List.of(
                        "+subscribe",
                        "+ping",
                        "+sentinel|master",
                        "+sentinel|get-master-addr-by-name",
                        "+sentinel|ckquorum"));
    }

    /** Keys and channels, each a word of the rule. */
    public List<String> scope() {
        return scope;
    }

    /** The commands, each a word of the rule. */
    public List<String> commands() {
        return commands;
    }

    /** The whole command for {@code redis-cli}, with {@code <password>} where the password belongs. */
    public String rule(String user) {
        return Stream.of(
                        Stream.of("ACL", "SETUSER", requireNonNull(user, "user"), "on", "><password>"),
                        scope.stream(),
                        Stream.of("-@all"),
                        commands.stream())
                .flatMap(words -> words)
                .map(LeastRights::quoted)
                .collect(Collectors.joining(" "));
    }

    /** The prefix as a pattern. There is no way to write a space in one. */
    private static String literal(String prefix) {
        return prefix.replaceAll("[*?\\[\\]\\\\]", "\\\\$0").replace(' ', '?');
    }

    private static String quoted(String word) {
        return word.matches("[^\\s\"'\\\\]+")
                ? word
                : "\"" + word.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
