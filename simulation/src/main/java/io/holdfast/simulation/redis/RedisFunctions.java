package io.holdfast.simulation.redis;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/** The table {@code redis} of one server's scripts. */
final class RedisFunctions {
    private final RedisModel redis;
    private boolean hasWritten;

    RedisFunctions(RedisModel redis) {
        this.redis = redis;
    }

    void begin() {
        hasWritten = false;
    }

    SealedTable table() {
        return new SealedTable()
                .with("call", new Call(true))
                .with("pcall", new Call(false))
                .with("error_reply", new ErrorReply())
                .with("status_reply", new StatusReply())
                .with("sha1hex", new Sha1())
                .with("log", new Ignored(LuaValue.NONE))
                .with("replicate_commands", new Ignored(LuaValue.TRUE))
                .with("LOG_DEBUG", LuaValue.valueOf(0))
                .with("LOG_VERBOSE", LuaValue.valueOf(1))
                .with("LOG_NOTICE", LuaValue.valueOf(2))
                .with("LOG_WARNING", LuaValue.valueOf(3));
    }

    private @Nullable Object execute(Varargs args) {
        int words = args.narg();
        if (words == 0) {
            throw new RedisError("ERR Please specify at least one argument for this redis lib call");
        }
        String[] argv = new String[words];
        for (int i = 0; i < words; i++) {
            argv[i] = word(args.arg(i + 1));
        }
        Command command = Commands.find(argv[0]);
        if (command == null) {
            throw new RedisError("ERR Unknown Redis command called from script");
        }
        if (!command.accepts(words)) {
            throw new RedisError("ERR Wrong number of args calling Redis command from script");
        }
        if (!command.inScripts()) {
            throw new RedisError("ERR This Redis command is not allowed from script");
        }
        RedisError refusal = redis.mood().refusalInScript(command, hasWritten);
        if (refusal != null) {
            throw refusal;
        }
        // Once it was told to write, whether or not there was anything to change.
        hasWritten |= command.writes();
        return command.handler().run(redis, argv);
    }

    private static String word(LuaValue value) {
        if (value instanceof LuaString text) {
            return LuaText.read(text);
        }
        if (value instanceof LuaNumber number) {
            return Numbers.precise(number.todouble());
        }
        throw new RedisError("ERR Lua redis lib command arguments must be strings or integers");
    }

    private final class Call extends VarArgFunction {
        private final boolean raises;

        Call(boolean raises) {
            this.raises = raises;
        }

        @Override
        public Varargs invoke(Varargs args) {
            try {
                return LuaReplies.toLua(execute(args));
            } catch (RedisError e) {
                LuaTable error = LuaReplies.error(e.text());
                if (raises) {
                    throw ScriptError.plain(error);
                }
                return error;
            }
        }
    }

    /** The first word is taken for the code of the error; if there is only one word, the code is ERR. */
    private static final class ErrorReply extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            if (args.narg() != 1 || !(args.arg1() instanceof LuaString given)) {
                return wrongArguments();
            }
            String text = LuaText.read(given);
            String message = text.startsWith("-") ? text.substring(1) : text;
            return LuaReplies.error(message.indexOf(' ') < 0 ? "ERR " + message : message);
        }
    }

    private static final class StatusReply extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            return args.narg() == 1 && args.arg1() instanceof LuaString text
                    ? LuaReplies.status(LuaText.read(text))
                    : wrongArguments();
        }
    }

    private static LuaTable wrongArguments() {
        return LuaReplies.error("ERR wrong number or type of arguments");
    }

    private static final class Sha1 extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            if (args.narg() != 1) {
                throw ScriptError.plain(LuaReplies.error("ERR wrong number of arguments"));
            }
            return LuaText.of(
                    CompiledScript.sha1(LuaText.read(LuaText.coerce(args.arg1()).checkstring())));
        }
    }

    private static final class Ignored extends VarArgFunction {
        private final LuaValue answer;

        Ignored(LuaValue answer) {
            this.answer = answer;
        }

        @Override
        public Varargs invoke(Varargs args) {
            return answer;
        }
    }
}
