package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaBoolean;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** Replies on their way into a script and out of it. */
final class LuaReplies {
    private static final LuaString OK = LuaValue.valueOf("ok");
    private static final LuaString ERR = LuaValue.valueOf("err");

    private LuaReplies() {}

    static LuaValue toLua(@Nullable Object reply) {
        if (reply == null) {
            return LuaValue.FALSE;
        }
        if (reply instanceof String text) {
            return LuaText.of(text);
        }
        if (reply instanceof Long number) {
            long value = number;
            return value == (int) value ? LuaValue.valueOf((int) value) : LuaValue.valueOf((double) value);
        }
        if (reply instanceof RedisModel.Status status) {
            return table(OK, status.text());
        }
        List<?> list = (List<?>) reply;
        LuaValue[] values = new LuaValue[list.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = toLua(list.get(i));
        }
        return LuaValue.listOf(values);
    }

    static LuaTable error(String text) {
        return table(ERR, text);
    }

    static LuaTable status(String text) {
        return table(OK, text);
    }

    private static LuaTable table(LuaString field, String text) {
        LuaTable table = new LuaTable(0, 1);
        table.rawset(field, LuaText.of(text));
        return table;
    }

    static @Nullable Object fromLua(LuaValue value) {
        if (value instanceof LuaString text) {
            return LuaText.read(text);
        }
        if (value instanceof LuaNumber number) {
            return LuaFormat.whole(number.todouble());
        }
        if (value instanceof LuaTable table) {
            return fromTable(table);
        }
        return value instanceof LuaBoolean && value.toboolean() ? 1L : null;
    }

    private static Object fromTable(LuaTable table) {
        if (table.rawget(ERR) instanceof LuaString text) {
            return new RedisModel.ErrorReply(LuaText.read(text));
        }
        if (table.rawget(OK) instanceof LuaString text) {
            return new RedisModel.Status(LuaText.read(text));
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 1; ; i++) {
            LuaValue element = table.rawget(i);
            if (element.isnil()) {
                return list;
            }
            list.add(fromLua(element));
        }
    }
}
