package io.holdfast.simulation.redis;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** The scripts that one server knows, and how it runs them. */
final class ScriptEngine {
    private final Map<String, CompiledScript> known = new HashMap<>();
    private final Map<String, LuaClosure> functions = new HashMap<>();
    private final LuaRandom random = new LuaRandom();
    private final SealedTable.Globals globals = LuaLibrary.globals(random);
    private final RedisFunctions redis;

    ScriptEngine(RedisModel model) {
        redis = new RedisFunctions(model);
        globals.with("redis", redis.table());
    }

    CompiledScript load(String text) {
        CompiledScript script = CompiledScript.of(text);
        known.put(script.sha(), script);
        return script;
    }

    @Nullable
    CompiledScript find(String sha) {
        CompiledScript script = known.get(sha);
        return script != null ? script : known.get(sha.toLowerCase(Locale.ROOT));
    }

    void flush() {
        known.clear();
        functions.clear();
    }

    /**
     * Runs a script.
     *
     * @param argv a whole EVAL, with the keys from the fourth word on
     */
    @Nullable
    Object run(CompiledScript script, String[] argv, int keys) {
        globals.with("KEYS", table(argv, 3, 3 + keys)).with("ARGV", table(argv, 3 + keys, argv.length));
        random.reset();
        redis.begin();
        LuaClosure function = functions.computeIfAbsent(script.sha(), sha -> new LuaClosure(script.code(), globals));
        try {
            return LuaReplies.fromLua(function.call());
        } catch (LuaError e) {
            throw ScriptError.reply(e, script.sha());
        }
    }

    private static LuaTable table(String[] argv, int from, int to) {
        LuaValue[] values = new LuaValue[to - from];
        for (int i = 0; i < values.length; i++) {
            values[i] = LuaText.of(argv[from + i]);
        }
        return LuaValue.listOf(values);
    }
}
