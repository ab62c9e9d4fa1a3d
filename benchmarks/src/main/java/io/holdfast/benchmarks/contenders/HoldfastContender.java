package io.holdfast.benchmarks.contenders;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;

/** Holdfast with all defaults: watchdog and fencing are on. */
final class HoldfastContender implements Contender {
    @Override
    public String name() {
        return Contenders.OURS;
    }

    @Override
    public String description() {
        return Contenders.jarOf(Holdfast.class) + ", all defaults: watchdog, fencing, fair";
    }

    @Override
    public Session open(String host, int port) {
        Holdfast client = Holdfast.connect("redis://" + host + ":" + port);
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new Held(client.lock(name));
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private record Held(DistributedLock it) implements BenchLock {
        @Override
        public void lock() {
            it.lock();
        }

        @Override
        public void unlock() {
            if (!it.unlock()) {
                throw new IllegalStateException("the lease of " + it.getLockName() + " was lost");
            }
        }
    }
}
