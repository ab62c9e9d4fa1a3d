package io.holdfast.benchmarks.contenders;

import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's mutex: the fair lock of those who have a ZooKeeper anyway. */
final class CuratorContender implements Contender {
    @Override
    public String name() {
        return "curator";
    }

    @Override
    public String description() {
        return Contenders.jarOf(InterProcessMutex.class)
                + ", InterProcessMutex on one ZooKeeper inside the benchmark, which does not wait for its disk; fair";
    }

    @Override
    public Home home() {
        return Home.ZOOKEEPER;
    }

    @Override
    public List<String> artifacts() {
        return List.of("org.apache.curator:curator-recipes");
    }

    @Override
    public Session open(String host, int port) {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(host + ":" + port, new ExponentialBackoffRetry(1000, 3));
        client.start();
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new Held(new InterProcessMutex(client, "/" + name));
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private record Held(InterProcessMutex it) implements BenchLock {
        @Override
        public void lock() {
            try {
                it.acquire();
            } catch (Exception e) { // all that it declares
                throw new IllegalStateException("could not acquire", e);
            }
        }

        @Override
        public void unlock() {
            try {
                it.release();
            } catch (Exception e) { // all that it declares
                throw new IllegalStateException("could not release", e);
            }
        }
    }
}
