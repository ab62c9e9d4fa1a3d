package io.holdfast.simulation.redis;

import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaDouble;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.OneArgFunction;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JsePlatform;

/** The libraries of Lua 5.1 out of those of LuaJ, which has 5.2 and prints numbers in a way of its own. */
final class LuaLibrary {
    private static final Globals LUAJ = JsePlatform.standardGlobals();

    // Without state and sealed, so that all models in all threads share them.
    private static final SealedTable STRING = string();
    private static final SealedTable TABLE = new SealedTable()
            .withAll(LUAJ.get("table"), "insert", "remove", "sort")
            .with("concat", new Concat());

    static {
        // For ("text"):len(). The one thing that LuaJ keeps for the whole JVM.
        LuaString.s_metatable = new SealedTable().with("__index", STRING);
    }

    private LuaLibrary() {}

    /** The globals of a new model; {@code redis}, {@code KEYS} and {@code ARGV} are not yet there. */
    static SealedTable.Globals globals(LuaRandom random) {
        SealedTable.Globals globals = new SealedTable.Globals();
        globals.withAll(LUAJ, "ipairs", "pairs", "next", "select", "type", "tonumber")
                .withAll(LUAJ, "rawget", "rawset", "rawequal", "setmetatable", "getmetatable")
                .with("tostring", new ToString())
                .with("pcall", new Pcall())
                .with("error", new Raise())
                .with("assert", new Assert())
                .with("unpack", LUAJ.get("table").get("unpack"))
                .with("string", STRING)
                .with("table", TABLE)
                .with("math", math(random))
                .with("_G", globals);
        return globals;
    }

    private static SealedTable math(LuaRandom random) {
        return new SealedTable()
                .withAll(LUAJ.get("math"), "abs", "ceil", "floor", "fmod", "huge", "max", "min", "modf", "pi", "pow")
                .withAll(LUAJ.get("math"), "sqrt", "exp", "log")
                .with("random", random);
    }

    private static SealedTable string() {
        LuaValue luaj = LUAJ.get("string");
        SealedTable string = new SealedTable().withAll(luaj, "char").with("format", new LuaFormat());
        string.with("lower", new Case('A', 0x20)).with("upper", new Case('a', -0x20));
        for (String name : "byte find gmatch gsub len match rep reverse sub".split(" ", -1)) {
            string.with(name, new OfText(luaj.get(name)));
        }
        return string;
    }

    /** A function of a string, which may be given as a number. */
    private static final class OfText extends VarArgFunction {
        private final LuaValue function;

        OfText(LuaValue function) {
            this.function = function;
        }

        @Override
        public Varargs invoke(Varargs args) {
            return args.arg1() instanceof LuaDouble number
                    ? function.invoke(varargsOf(LuaText.of(number), args.subargs(2)))
                    : function.invoke(args);
        }
    }

    /** Changes the letters of ASCII, as C does without a locale; LuaJ changes some bytes of others too. */
    private static final class Case extends OneArgFunction {
        private final char first;
        private final int shift;

        Case(char first, int shift) {
            this.first = first;
            this.shift = shift;
        }

        @Override
        public LuaValue call(LuaValue value) {
            char[] bytes = LuaText.read(LuaText.coerce(value).checkstring()).toCharArray();
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] >= first && bytes[i] < first + 26) {
                    bytes[i] += (char) shift;
                }
            }
            return LuaText.of(String.valueOf(bytes));
        }
    }

    private static final class ToString extends OneArgFunction {
        @Override
        public LuaValue call(LuaValue value) {
            return LuaText.show(value);
        }
    }

    private static final class Concat extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            LuaTable table = args.checktable(1);
            String separator =
                    LuaText.read(LuaText.coerce(args.optvalue(2, EMPTYSTRING)).checkstring());
            int last = args.isnoneornil(4) ? table.length() : args.checkint(4);
            StringBuilder text = new StringBuilder();
            for (int i = args.optint(3, 1); i <= last; i++) {
                LuaValue element = LuaText.coerce(table.get(i));
                if (!(element instanceof LuaString part)) {
                    throw ScriptError.placed(
                            "invalid value (" + element.typename() + ") at index " + i + " in table for 'concat'");
                }
                text.append(LuaText.read(part)).append(i < last ? separator : "");
            }
            return LuaText.of(text.toString());
        }
    }

    private static final class Pcall extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            try {
                return varargsOf(TRUE, args.checkvalue(1).invoke(args.subargs(2)));
            } catch (LuaError e) {
                return varargsOf(FALSE, ScriptError.caught(e));
            }
        }
    }

    private static final class Raise extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            throw ScriptError.raise(args.arg1(), args.optint(2, 1));
        }
    }

    private static final class Assert extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            if (args.arg1().toboolean()) {
                return args;
            }
            throw ScriptError.placed(LuaText.read(args.optstring(2, LuaValue.valueOf("assertion failed!"))));
        }
    }
}
