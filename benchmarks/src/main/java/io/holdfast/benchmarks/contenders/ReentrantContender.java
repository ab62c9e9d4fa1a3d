package io.holdfast.benchmarks.contenders;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** The fair lock of the JDK, for scale: it knows only one JVM and asks nobody. */
final class ReentrantContender implements Contender {
    @Override
    public String name() {
        return "reentrant";
    }

    @Override
    public String description() {
        return "fair java.util.concurrent.locks.ReentrantLock; this JVM only";
    }

    @Override
    public Reach reach() {
        return Reach.THREADS;
    }

    @Override
    public Home home() {
        return Home.HERE;
    }

    @Override
    public Session open(String host, int port) {
        Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new JdkHeld(locks.computeIfAbsent(name, any -> new ReentrantLock(true)));
            }

            @Override
            public void close() {
                locks.clear();
            }
        };
    }
}
