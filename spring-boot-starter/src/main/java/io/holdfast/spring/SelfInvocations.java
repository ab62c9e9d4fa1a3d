package io.holdfast.spring;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Calls of a bean to its own locked methods, which do not pass its proxy and so run without the lock. Found by reading the
 * byte code of the class, following only what is certainly {@code this}: a call through an injected reference to itself is
 * none of them.
 */
final class SelfInvocations {
    private static final Logger LOG = LoggerFactory.getLogger(LockedPostProcessor.class);

    private SelfInvocations() {}

    static void report(Class<?> type) {
        for (String call : find(type)) {
            LOG.warn(
                    "{}: a call of a bean to itself does not pass its proxy, so the method runs without the lock of its"
                            + " @Locked; call it through another bean, or use Holdfast directly",
                    call);
        }
    }

    /** Such as {@code Shop.all() calls the @Locked Shop.one()}. */
    static Set<String> find(Class<?> type) {
        Set<String> locked = new HashSet<>();
        for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
            if (LockedMethods.isLocked(method)) {
                locked.add(method.getName() + Type.getMethodDescriptor(method));
            }
        }
        Set<String> calls = new LinkedHashSet<>();
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            read(at, locked, calls);
        }
        // Their default methods.
        for (Class<?> at : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            read(at, locked, calls);
        }
        return calls;
    }

    private static void read(Class<?> type, Set<String> locked, Set<String> calls) {
        ClassLoader loader = type.getClassLoader();
        if (loader == null) {
            return;
        }
        try (InputStream code = loader.getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
            if (code != null) {
                new ClassReader(code)
                        .accept(
                                new Reader(type.getSimpleName(), locked, calls),
                                ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | IllegalArgumentException e) {
            // Newer than what Spring can read: then nothing is seen.
            LOG.debug("{} cannot be read: {}", type.getName(), e.toString());
        }
    }

    private static final class Reader extends ClassVisitor {
        private final String type;
        private final Set<String> locked;
        private final Set<String> calls;

        Reader(String type, Set<String> locked, Set<String> calls) {
            super(SpringAsmInfo.ASM_VERSION);
            this.type = type;
            this.locked = locked;
            this.calls = calls;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            // A bridge is how the proxy itself comes to the method.
            if ((access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) != 0) {
                return null;
            }
            return new Stack(name + descriptor, (access & Opcodes.ACC_STATIC) == 0, called -> {
                if (locked.contains(called)) {
                    calls.add(type + "." + name + "() calls the @Locked " + called.substring(0, called.indexOf('('))
                            + "() of the same bean");
                }
            });
        }
    }

    /** Plays a method's code with one bit per value: whether it is certainly {@code this}. */
    private static final class Stack extends MethodVisitor {
        private final String own;
        private final boolean hasThis;
        private final java.util.function.Consumer<String> onThis;
        private final Map<Label, Deque<Boolean>> at = new HashMap<>();
        private Deque<Boolean> values = new ArrayDeque<>();

        /** Whether the next instruction can follow on the last. */
        private boolean goesOn = true;

        Stack(String own, boolean hasThis, java.util.function.Consumer<String> onThis) {
            super(SpringAsmInfo.ASM_VERSION);
            this.own = own;
            this.hasThis = hasThis;
            this.onThis = onThis;
        }

        private void push(boolean isThis) {
            values.push(isThis);
        }

        private boolean pop() {
            Boolean top = values.poll();
            return top != null && top;
        }

        private void replace(int pops, boolean pushes) {
            for (int i = 0; i < pops; i++) {
                pop();
            }
            if (pushes) {
                push(false);
            }
        }

        private void jump(Label to) {
            at.merge(to, new ArrayDeque<>(values), Stack::both);
        }

        /** Where two ways meet, a value is {@code this} only if it is on both. */
        private static Deque<Boolean> both(Deque<Boolean> one, Deque<Boolean> other) {
            Deque<Boolean> both = new ArrayDeque<>();
            Iterator<Boolean> right = other.iterator();
            for (Iterator<Boolean> left = one.iterator(); left.hasNext() && right.hasNext(); ) {
                boolean isThis = left.next();
                boolean isThisToo = right.next();
                both.addLast(isThis && isThisToo);
            }
            return both;
        }

        private void end() {
            values.clear();
            goesOn = false;
        }

        @Override
        public void visitLabel(Label label) {
            Deque<Boolean> known = at.get(label);
            if (known != null) {
                values = goesOn ? both(values, known) : new ArrayDeque<>(known);
            }
            goesOn = true;
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
            at.put(handler, new ArrayDeque<>(Set.of(false)));
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.ACONST_NULL && opcode <= Opcodes.DCONST_1) {
                push(false);
            } else if (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
                replace(2, true);
            } else if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
                replace(3, false);
            } else if (opcode == Opcodes.DUP) {
                boolean top = pop();
                push(top);
                push(top);
            } else if (opcode >= Opcodes.POP2 && opcode <= Opcodes.SWAP) {
                // One value or two: not worth knowing. Whatever is below is not believed any more.
                values.clear();
            } else if (opcode >= Opcodes.IADD && opcode <= Opcodes.DREM) {
                replace(2, true);
            } else if (opcode >= Opcodes.INEG && opcode <= Opcodes.DNEG) {
                replace(1, true);
            } else if (opcode >= Opcodes.ISHL && opcode <= Opcodes.LXOR) {
                replace(2, true);
            } else if (opcode >= Opcodes.I2L && opcode <= Opcodes.I2S) {
                replace(1, true);
            } else if (opcode >= Opcodes.LCMP && opcode <= Opcodes.DCMPG) {
                replace(2, true);
            } else if (opcode == Opcodes.ARRAYLENGTH) {
                replace(1, true);
            } else if (opcode == Opcodes.POP || opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
                pop();
            } else if (opcode != Opcodes.NOP) {
                end(); // returns and throws
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            replace(opcode == Opcodes.NEWARRAY ? 1 : 0, true);
        }

        @Override
        public void visitLdcInsn(Object value) {
            push(false);
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            if (opcode <= Opcodes.ALOAD) {
                push(hasThis && opcode == Opcodes.ALOAD && variable == 0);
            } else {
                pop();
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode != Opcodes.CHECKCAST) {
                replace(opcode == Opcodes.NEW ? 0 : 1, true);
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            switch (opcode) {
                case Opcodes.GETSTATIC -> push(false);
                case Opcodes.PUTSTATIC -> pop();
                case Opcodes.GETFIELD -> replace(1, true);
                default -> replace(2, false);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            replace(Type.getArgumentTypes(descriptor).length, false);
            String called = name + descriptor;
            // What a method overrides needs no lock that the method itself has not.
            boolean overridden = opcode == Opcodes.INVOKESPECIAL && called.equals(own);
            if (opcode != Opcodes.INVOKESTATIC && pop() && !overridden) {
                onThis.accept(called);
            }
            if (Type.getReturnType(descriptor).getSort() != Type.VOID) {
                push(false);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            boolean withThis = false;
            for (int i = Type.getArgumentTypes(descriptor).length; i > 0; i--) {
                withThis |= pop();
            }
            for (Object argument : arguments) {
                if (withThis && argument instanceof Handle handle) {
                    onThis.accept(handle.getName() + handle.getDesc());
                }
            }
            push(false);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            replace(dimensions, true);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            if ((opcode >= Opcodes.IFEQ && opcode <= Opcodes.IFLE) || opcode >= Opcodes.IFNULL) {
                pop();
            } else if (opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE) {
                replace(2, false);
            }
            jump(label);
            if (opcode == Opcodes.GOTO) {
                end();
            }
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
            visitSwitch(otherwise, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            visitSwitch(otherwise, labels);
        }

        private void visitSwitch(Label otherwise, Label[] labels) {
            pop();
            jump(otherwise);
            for (Label label : labels) {
                jump(label);
            }
            end();
        }
    }
}
