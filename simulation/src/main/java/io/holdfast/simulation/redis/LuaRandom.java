package io.holdfast.simulation.redis;

import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/** {@code math.random} by {@code lrand48}, as in Redis, but from the start in each run: what a script does depends on nothing before it. */
final class LuaRandom extends VarArgFunction {
    private static final long SEED = 0x330E;
    private static final long MASK = (1L << 48) - 1;

    private long state = SEED;

    void reset() {
        state = SEED;
    }

    @Override
    public Varargs invoke(Varargs args) {
        state = (state * 0x5DEECE66DL + 0xB) & MASK;
        double random = (double) ((state >>> 17) % Integer.MAX_VALUE) / Integer.MAX_VALUE;
        if (args.narg() == 0) {
            return LuaValue.valueOf(random);
        }
        int low = args.narg() == 1 ? 1 : args.checkint(1);
        int high = args.checkint(args.narg() == 1 ? 1 : 2);
        if (low > high) {
            throw ScriptError.placed("bad argument #" + Math.min(2, args.narg()) + " to 'random' (interval is empty)");
        }
        return LuaValue.valueOf(Math.floor(random * (high - low + 1)) + low);
    }
}
