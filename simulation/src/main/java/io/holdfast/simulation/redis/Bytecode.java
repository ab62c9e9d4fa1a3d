package io.holdfast.simulation.redis;

import java.util.Arrays;
import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;

/**
 * Changes compiled code where LuaJ cannot be taught otherwise.
 *
 * <p>{@code ..} makes other text of a number than Lua 5.1 does: {@code CONCAT A B C} becomes {@code LOADK C+1 rope;
 * CONCAT A B C+1; UNM A A}, so that a {@link Rope} stands at the end, is asked to take each operand in, and gives the
 * text when negated. Above C every register is free there: operands are on top.
 *
 * <p>A tail call leaves no trace of its line for an error: it becomes a call, which the return that follows completes.
 */
final class Bytecode {
    private static final int OPCODE_BITS = 6;

    private final Prototype code;
    private final int rope;
    private final int[] newPlace;
    private int[] instructions;
    private int[] lines;
    private int size;

    private Bytecode(Prototype code) {
        this.code = code;
        this.rope = code.k.length;
        this.newPlace = new int[code.code.length + 1];
        this.instructions = new int[3 * code.code.length];
        this.lines = new int[instructions.length];
    }

    static void likeRedis(Prototype code) {
        new Bytecode(code).rewrite();
        for (Prototype inner : code.p) {
            likeRedis(inner);
        }
    }

    private void rewrite() {
        for (int i = 0; i < code.code.length; i++) {
            newPlace[i] = size;
            copy(code.code[i], code.lineinfo[i]);
        }
        newPlace[code.code.length] = size;
        for (int i = 0; i < code.code.length; i++) {
            int instruction = code.code[i];
            if (jumps(Lua.GET_OPCODE(instruction))) {
                int target = newPlace[i + 1 + Lua.GETARG_sBx(instruction)];
                instructions[newPlace[i]] = jump(instruction, target - newPlace[i] - 1);
            }
        }
        LuaValue[] constants = Arrays.copyOf(code.k, rope + 1);
        constants[rope] = Rope.END;
        code.k = constants;
        code.code = Arrays.copyOf(instructions, size);
        code.lineinfo = Arrays.copyOf(lines, size);
    }

    private void copy(int instruction, int line) {
        switch (Lua.GET_OPCODE(instruction)) {
            case Lua.OP_CONCAT -> {
                int a = Lua.GETARG_A(instruction);
                int end = Lua.GETARG_C(instruction) + 1;
                code.maxstacksize = Math.max(code.maxstacksize, end + 1);
                append(Lua.OP_LOADK | (end << Lua.POS_A) | (rope << Lua.POS_Bx), line);
                append(instruction + (1 << Lua.POS_C), line);
                append(Lua.OP_UNM | (a << Lua.POS_A) | (a << Lua.POS_B), line);
            }
            case Lua.OP_TAILCALL -> append(((instruction >>> OPCODE_BITS) << OPCODE_BITS) | Lua.OP_CALL, line);
            default -> append(instruction, line);
        }
    }

    private void append(int instruction, int line) {
        instructions[size] = instruction;
        lines[size] = line;
        size++;
    }

    private static boolean jumps(int opcode) {
        return opcode == Lua.OP_JMP
                || opcode == Lua.OP_FORLOOP
                || opcode == Lua.OP_FORPREP
                || opcode == Lua.OP_TFORLOOP;
    }

    private static int jump(int instruction, int distance) {
        int others = instruction & ((1 << Lua.POS_Bx) - 1);
        return others | ((distance + Lua.MAXARG_sBx) << Lua.POS_Bx);
    }
}
