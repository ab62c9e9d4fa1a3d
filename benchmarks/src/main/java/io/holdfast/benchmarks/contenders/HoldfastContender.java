package io.holdfast.benchmarks.contenders;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;

/** Holdfast with all defaults: watchdog and fencing are on. */
final class HoldfastContender implements Contender, LeaseKeeper {
    @Override
    public String name() {
        return Contenders.OURS;
    }

    @Override
    public String description() {
        return Contenders.jarOf(Holdfast.class) + ", all defaults: watchdog, fencing, fair";
    }

    @Override
    public List<String> artifacts() {
        return List.of("io.holdfast:holdfast-redis");
    }

    @Override
    public Session open(String host, int port) {
        Holdfast client = Holdfast.connect(uri(host, port));
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

    private static String uri(String host, int port) {
        return "redis://" + host + ":" + port;
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

    @Override
    public Keeping keep(String host, int port, Duration lease) {
        LockOptions options = LockOptions.DEFAULT.toBuilder().lease(lease).build();
        Holdfast client =
                Holdfast.builder().uri(uri(host, port)).options(options).build();
        return new Keeping() {
            @Override
            public Object take(String name) {
                return client.lock(name)
                        .tryAcquire()
                        .orElseThrow(() -> new IllegalStateException(name + " is held by another"));
            }

            @Override
            public boolean release(Object taken) {
                return ((Lease) taken).release();
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }
}
