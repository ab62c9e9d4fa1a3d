package io.holdfast.simulation.redis;

import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** A table that scripts cannot change, and so can share. */
class SealedTable extends LuaTable {
    SealedTable() {}

    final SealedTable with(String name, LuaValue value) {
        super.rawset(LuaValue.valueOf(name), value);
        return this;
    }

    /** Takes over what is there under these names. */
    final SealedTable withAll(LuaValue library, String... names) {
        for (String name : names) {
            with(name, library.get(name));
        }
        return this;
    }

    @Override
    public void rawset(LuaValue key, LuaValue value) {
        throw readOnly();
    }

    @Override
    public void rawset(int key, LuaValue value) {
        throw readOnly();
    }

    @Override
    public LuaValue setmetatable(LuaValue metatable) {
        throw readOnly();
    }

    private static ScriptError readOnly() {
        return ScriptError.placed("Attempt to modify a readonly table");
    }

    /** The globals: there is an error for those that do not exist. */
    static final class Globals extends SealedTable {
        @Override
        public LuaValue get(LuaValue key) {
            LuaValue value = rawget(key);
            if (value.isnil()) {
                throw ScriptError.placed(
                        "Script attempted to access nonexistent global variable '" + key.tojstring() + "'");
            }
            return value;
        }
    }
}
