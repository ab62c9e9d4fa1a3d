package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** EVAL and its kin. */
final class ScriptCommands {
    private static final int SHA_LENGTH = 40;

    private ScriptCommands() {}

    static void addTo(Commands all) {
        all.outside("eval", -3, ScriptCommands::eval);
        all.outside("evalsha", -3, ScriptCommands::evalSha);
        all.outside("script", -2, ScriptCommands::script);
    }

    private static @Nullable Object eval(RedisModel redis, String[] argv) {
        int keys = keys(argv);
        return redis.scripts().run(redis.scripts().load(argv[1]), argv, keys);
    }

    private static @Nullable Object evalSha(RedisModel redis, String[] argv) {
        if (argv[1].length() != SHA_LENGTH) {
            throw noScript();
        }
        int keys = keys(argv);
        CompiledScript script = redis.scripts().find(argv[1]);
        if (script == null) {
            throw noScript();
        }
        return redis.scripts().run(script, argv, keys);
    }

    private static RedisError noScript() {
        return new RedisError("NOSCRIPT No matching script. Please use EVAL.");
    }

    private static int keys(String[] argv) {
        long keys = Numbers.parseLong(argv[2]);
        if (keys > argv.length - 3) {
            throw new RedisError("ERR Number of keys can't be greater than number of args");
        }
        if (keys < 0) {
            throw new RedisError("ERR Number of keys can't be negative");
        }
        return (int) keys;
    }

    private static Object script(RedisModel redis, String[] argv) {
        String subcommand = argv[1].toLowerCase(Locale.ROOT);
        switch (subcommand) {
            case "load" -> {
                if (argv.length != 3) {
                    throw RedisError.arguments("script|load");
                }
                return redis.scripts().load(argv[2]).sha();
            }
            case "exists" -> {
                if (argv.length < 3) {
                    throw RedisError.arguments("script|exists");
                }
                return exists(redis, argv);
            }
            case "flush" -> {
                redis.scripts().flush();
                return RedisModel.OK;
            }
            default -> throw new RedisError("ERR unknown subcommand '" + argv[1] + "'. Try SCRIPT HELP.");
        }
    }

    private static List<Object> exists(RedisModel redis, String[] argv) {
        List<Object> known = new ArrayList<>();
        for (int i = 2; i < argv.length; i++) {
            known.add(redis.scripts().find(argv[i]) == null ? 0L : 1L);
        }
        return known;
    }
}
