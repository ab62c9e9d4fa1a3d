package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What concerns the server itself, and messages. */
final class ServerCommands {
    private ServerCommands() {}

    static void addTo(Commands all) {
        all.read("ping", -1, ServerCommands::ping);
        all.always("echo", 2, (redis, argv) -> argv[1]);
        all.always("time", 1, (redis, argv) -> time(redis.clockMicros()));
        all.always("publish", 3, (redis, argv) -> redis.publish(argv[1], argv[2]));
        all.always("pubsub", -2, ServerCommands::pubsub);
        all.always("info", -1, ServerCommands::info);
    }

    private static Object ping(RedisModel redis, String[] argv) {
        if (argv.length > 2) {
            throw RedisError.arguments("ping");
        }
        return argv.length == 2 ? argv[1] : new RedisModel.Status("PONG");
    }

    private static Object pubsub(RedisModel redis, String[] argv) {
        if (!argv[1].equalsIgnoreCase("numsub")) {
            throw new RedisError("ERR unknown subcommand '" + argv[1] + "'. Try PUBSUB HELP.");
        }
        List<Object> counts = new ArrayList<>();
        for (int i = 2; i < argv.length; i++) {
            counts.add(argv[i]);
            counts.add(redis.listeners(Text.outside(argv[i])));
        }
        return counts;
    }

    /** Not the time at which a script began: also a real server looks at its clock each time. */
    private static List<Object> time(long micros) {
        return List.of(Long.toString(micros / 1_000_000), Long.toString(micros % 1_000_000));
    }

    private static Object info(RedisModel redis, String[] argv) {
        String section = argv.length == 1 ? "everything" : argv[1].toLowerCase(Locale.ROOT);
        StringBuilder text = new StringBuilder();
        if (!section.equals("memory")) {
            text.append("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:")
                    .append(redis.runId())
                    .append("\r\nuptime_in_seconds:")
                    .append(redis.uptimeSeconds())
                    .append("\r\n");
        }
        if (!section.equals("server")) {
            text.append(text.isEmpty() ? "" : "\r\n")
                    .append("# Memory\r\nmaxmemory:")
                    .append(redis.mood() == ServerMood.OOM ? 1 : 0)
                    .append("\r\nmaxmemory_policy:noeviction\r\n");
        }
        return text.toString();
    }
}
