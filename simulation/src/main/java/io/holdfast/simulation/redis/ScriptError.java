package io.holdfast.simulation.redis;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** An error raised by what the model adds to Lua. Learns the line of the script on its way up. */
final class ScriptError extends LuaError {
    private static final long serialVersionUID = 1L;
    private static final String UNKNOWN = "ERR unknown error";

    private final LuaValue raised;
    private final boolean tellsItsPlace;

    private ScriptError(LuaValue raised, boolean tellsItsPlace) {
        super(raised);
        this.raised = raised;
        this.tellsItsPlace = tellsItsPlace;
    }

    /** An error with its place in front, as the functions of Lua itself raise it. */
    static ScriptError placed(String message) {
        return new ScriptError(LuaText.of(message), true);
    }

    /** What is raised as it is. */
    static ScriptError plain(LuaValue raised) {
        return new ScriptError(raised, false);
    }

    /** {@code error(value, level)}. */
    static ScriptError raise(LuaValue value, int level) {
        return new ScriptError(value, level > 0 && value.isstring());
    }

    /** LuaJ takes the place down once, with the innermost function, if there is a text. */
    @Override
    public String getMessage() {
        return raised.tojstring();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public Throwable fillInStackTrace() {
        return this;
    }

    /** What pcall returns: of an error table the text, since that is what a Redis 7 makes of it. */
    static LuaValue caught(LuaError error) {
        Place place = Place.of(error);
        LuaValue value = place.value();
        return value instanceof LuaTable table && table.rawget("err").isstring() ? table.rawget("err") : value;
    }

    /** The reply to who ran the script. */
    static RedisError reply(LuaError error, String sha) {
        Place place = Place.of(error);
        String text = UNKNOWN;
        if (place.value() instanceof LuaTable table) {
            LuaValue err = table.rawget("err");
            text = err.isstring() ? LuaText.read(err.strvalue()) : UNKNOWN;
        } else {
            text = "ERR " + LuaText.read(LuaText.coerce(place.value()).checkstring());
        }
        return new RedisError(text + " script: " + sha + (place.line().isEmpty() ? "" : ", on " + place.line() + "."));
    }

    /** What was raised and where: {@code @user_script:7}. */
    private record Place(LuaValue value, String line) {
        static Place of(LuaError error) {
            if (error instanceof ScriptError own) {
                String line = own.fileline == null ? "" : own.fileline;
                boolean placed = own.tellsItsPlace && !line.isEmpty();
                LuaValue text = placed
                        ? LuaText.of(line.substring(1) + ": "
                                + LuaText.read(LuaText.coerce(own.raised).checkstring()))
                        : own.raised;
                return new Place(text, line);
            }
            if (error.getCause() != null) {
                throw new IllegalStateException("a command of the model failed inside a script", error.getCause());
            }
            // LuaJ's own come as "@user_script:7 attempt to ...".
            String message = String.valueOf(error.getMessage());
            int space = message.indexOf(' ');
            if (!message.startsWith(CompiledScript.NAME) || space < 0) {
                return new Place(LuaText.of(message), "");
            }
            String line = message.substring(0, space);
            return new Place(LuaText.of(line.substring(1) + ":" + message.substring(space)), line);
        }
    }
}
