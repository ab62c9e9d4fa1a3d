package io.holdfast.redis.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.Jedis;

/**
 * A process whose threads wait for a fair lock: one for each line that it reads, which it appends to a list in the server
 * while it has the lock. Ends at the line {@code end}, once all have had it, and says how many lost it; or is killed by a
 * test.
 *
 * <p>Arguments: the store's URI, the lock's name, the list's key.
 */
final class WaiterMain {
    private WaiterMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        // A JVM that has just started takes its time.
        Holdfast locks = Holdfast.builder()
                .uri(args[0])
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        Jedis list = new Jedis(args[0]);
        list.ping();
        locks.lock("warm-up").acquire(Duration.ofSeconds(20)).release();
        System.out.println("ready");

        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        List<Thread> threads = new ArrayList<>();
        AtomicInteger lost = new AtomicInteger();
        for (String line = in.readLine(); !"end".equals(line); line = in.readLine()) {
            String text = line;
            Runnable waiter = () -> {
                if (!waits(locks.fairLock(args[1]), list, args[2], text)) {
                    lost.incrementAndGet();
                }
            };
            Thread thread = new Thread(waiter, "waiter");
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(lost + " lost");
    }

    /** Waits, appends a text while it has the lock, and gives it back; false if it lost it meanwhile. */
    static boolean waits(DistributedLock lock, Jedis list, String key, String text) {
        lock.lock();
        // One connection for all of them: only who has the lock uses it.
        list.rpush(key, text);
        return lock.unlock();
    }
}
