package io.holdfast.testkit.contract;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Virtual threads, on a JVM that has them: the library itself is compiled for one that has not. */
final class VirtualThreads {
    private static final @Nullable Method START = find();

    private VirtualThreads() {}

    static boolean exist() {
        return START != null;
    }

    /** Runs the task on a virtual thread, and waits for the thread's end. */
    static void run(Runnable task) throws InterruptedException {
        if (START == null) {
            throw new IllegalStateException("this JVM has no virtual threads");
        }
        try {
            ((Thread) START.invoke(null, task)).join();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable Method find() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException beforeJdk21) {
            return null;
        }
    }
}
