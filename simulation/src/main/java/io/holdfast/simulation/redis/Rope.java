package io.holdfast.simulation.redis;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** The operands of a concatenation, collected from the last to the first; see {@link Bytecode}. No script ever gets to see one. */
final class Rope extends LuaValue {
    static final Rope END = new Rope(EMPTYSTRING, null);

    private final LuaString first;
    private final @Nullable Rope rest;
    private final int length;

    private Rope(LuaString first, @Nullable Rope rest) {
        this.first = first;
        this.rest = rest;
        this.length = first.m_length + (rest == null ? 0 : rest.length);
    }

    @Override
    public LuaValue concatTo(LuaString left) {
        return new Rope(left, this);
    }

    @Override
    public LuaValue concatTo(LuaNumber left) {
        return concatTo(LuaText.of(left));
    }

    @Override
    public LuaValue neg() {
        byte[] bytes = new byte[length];
        int at = 0;
        for (Rope rope = this; rope != null; rope = rope.rest) {
            LuaString part = rope.first;
            System.arraycopy(part.m_bytes, part.m_offset, bytes, at, part.m_length);
            at += part.m_length;
        }
        return LuaString.valueUsing(bytes);
    }

    @Override
    public int type() {
        return TUSERDATA;
    }

    @Override
    public String typename() {
        return "rope";
    }
}
