package io.holdfast.simulation.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Between the strings of the model and those of LuaJ. */
final class LuaText {
    private LuaText() {}

    static LuaString of(String bytes) {
        return LuaString.valueUsing(bytes.getBytes(ISO_8859_1));
    }

    /** As Lua 5.1 prints it. LuaJ prints all digits of a whole number, and others as if they were floats. */
    static LuaString of(LuaNumber number) {
        return of(Numbers.lua(number.todouble()));
    }

    static String read(LuaString text) {
        return new String(text.m_bytes, text.m_offset, text.m_length, ISO_8859_1);
    }

    /** What {@code tostring} makes of anything. */
    static LuaString show(LuaValue value) {
        LuaValue text = coerce(value);
        return text instanceof LuaString string ? string : of(value.tojstring());
    }

    /** The string that is there, or what becomes of a number; anything else as it is. */
    static LuaValue coerce(LuaValue value) {
        return value instanceof LuaNumber number ? of(number) : value;
    }
}
