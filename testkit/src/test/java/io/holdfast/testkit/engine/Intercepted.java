package io.holdfast.testkit.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;

/** A port or a store with one method bent. */
final class Intercepted {
    private Intercepted() {}

    /** What a call of the method becomes; {@code real} carries it out. */
    interface Bend {
        Object call(Callable<Object> real) throws Exception;
    }

    static <T> T of(Class<T> type, T real, String method, Bend bend) {
        return type.cast(Proxy.newProxyInstance(
                Intercepted.class.getClassLoader(), new Class<?>[] {type}, (proxy, called, args) -> {
                    Callable<Object> call = () -> {
                        try {
                            return called.invoke(real, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause() instanceof Exception cause ? cause : e;
                        }
                    };
                    return called.getName().equals(method) ? bend.call(call) : call.call();
                }));
    }
}
