package io.holdfast.faults.worker;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The resource that the locks protect: a server of its own, which no fault befalls. It remembers for each lock the highest
 * token, refuses lower ones, and keeps the order in which holders wrote. Where there are no tokens it accepts everything.
 * One for each thread.
 */
public final class Gate implements AutoCloseable {
    private static final String SCRIPT = "local token, highest = tonumber(ARGV[2]), "
            + "tonumber(redis.call('HGET', KEYS[1], 'token') or '0')\n"
            + "if token > 0 and token < highest then return 0 end\n"
            + "if token > highest then redis.call('HSET', KEYS[1], 'token', ARGV[2]) end\n"
            + "if redis.call('HGET', KEYS[1], 'last') ~= ARGV[1] then\n"
            + "  redis.call('HSET', KEYS[1], 'last', ARGV[1])\n"
            + "  redis.call('RPUSH', KEYS[2], ARGV[1])\n"
            + "end\n"
            + "return 1";

    private final Resp server;

    Gate(String address) {
        String[] words = address.split(":", -1);
        this.server = Resp.connect(words[0], Integer.parseInt(words[1]));
    }

    /** Whether the write was accepted. */
    boolean write(String lock, String holder, long token) {
        return server.call("EVAL", SCRIPT, "2", "seen:" + lock, "order:" + lock, holder, Long.toString(token))
                        instanceof Long accepted
                && accepted == 1;
    }

    /** A number that nobody else gets. */
    long number(String of) {
        return server.call("INCR", of) instanceof Long number ? number : 0;
    }

    /** Leaves words for whoever comes, of any process. */
    void leave(String box, List<String> words) {
        List<String> command = new ArrayList<>(List.of("RPUSH", box));
        command.addAll(words);
        server.call(command.toArray(String[]::new));
    }

    /** Takes the first word that was left. */
    Optional<String> fetch(String box) {
        return Optional.ofNullable(server.call("LPOP", box)).map(String::valueOf);
    }

    /** Who wrote to it, each time another than before. */
    public static List<String> order(RedisServer server, String lock) {
        List<String> order = new ArrayList<>();
        if (server.command("LRANGE", "order:" + lock, "0", "-1") instanceof List<?> all) {
            all.forEach(holder -> order.add(String.valueOf(holder)));
        }
        return order;
    }

    @Override
    public void close() {
        server.close();
    }
}
