package io.holdfast.benchmarks.contenders;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import redis.clients.jedis.Jedis;

/** No lock: one PING in place of each of lock and unlock, on a connection per thread. Two round trips cost no less. */
final class PingContender implements Contender {
    @Override
    public String name() {
        return "ping";
    }

    @Override
    public String description() {
        return Contenders.jarOf(Jedis.class) + ", two PINGs per cycle, a connection per thread; locks nothing";
    }

    @Override
    public Reach reach() {
        return Reach.NONE;
    }

    @Override
    public Session open(String host, int port) {
        Queue<Jedis> opened = new ConcurrentLinkedQueue<>();
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                Jedis jedis = new Jedis(host, port);
                opened.add(jedis);
                return new Pings(jedis);
            }

            @Override
            public void close() {
                opened.forEach(Jedis::close);
            }
        };
    }

    private record Pings(Jedis jedis) implements BenchLock {
        @Override
        public void lock() {
            jedis.ping();
        }

        @Override
        public void unlock() {
            jedis.ping();
        }
    }
}
