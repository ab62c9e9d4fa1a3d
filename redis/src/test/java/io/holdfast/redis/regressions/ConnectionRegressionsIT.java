package io.holdfast.redis.regressions;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.redis.FiveServers;
import io.holdfast.redis.RedisStore;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RequestTrap;
import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;

class ConnectionRegressionsIT {

    /** Jedis reopens a closed socket without AUTH and SELECT; a command cut at its deadline came back in database 0. */
    @Test
    @Tag("race")
    @Faults({20, 37})
    void connectionThatIsCutAtItsDeadline_isNeverUsedInAnotherDatabase() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast locks = Holdfast.builder()
                        .uri(server.uri() + "/3")
                        .commandTimeout(ofMillis(30))
                        .build()) {
            DistributedLock lock = locks.lock("x", o -> o.lease(ofMillis(500)));
            AtomicBoolean over = new AtomicBoolean();
            Thread traffic = new Thread(() -> {
                while (!over.get()) {
                    try {
                        if (lock.tryLock()) {
                            lock.unlock();
                        }
                    } catch (LockException expected) {
                        // The server sleeps again and again.
                    }
                }
            });
            traffic.start();
            try {
                for (int pause = 0; pause < 60; pause++) {
                    server.pause();
                    TimeUnit.MILLISECONDS.sleep(40);
                    server.resume();
                    TimeUnit.MILLISECONDS.sleep(5);
                }
            } finally {
                over.set(true);
                traffic.join();
            }
            assertThat(server.keys()).as("keys in database 0").isEmpty();
        }
    }

    /** Which life of a server it is was asked once for each connection; one that was opened while it was busy never knew. */
    @Test
    @Faults({15, 26})
    void connectionThatIsOpenedWhileTheServerIsBusy_doesNotStayHalfOpened() throws Exception {
        try (RedisServer server = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(server.port());
                Holdfast locks = Holdfast.connect("redis://127.0.0.1:" + proxy.port())) {
            server.command("CONFIG", "SET", "lua-time-limit", "1");
            CompletableFuture<Throwable> script = CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> server.command("EVAL", "while true do end", "0")));
            try (Resp other = Resp.connect("127.0.0.1", server.port())) {
                await().until(() -> catchThrowable(() -> other.call("PING")) instanceof RespError);
                assertThat(catchThrowable(() -> locks.lock("a").tryLock())).hasMessageContaining("BUSY");
                other.call("SCRIPT", "KILL");
            }
            assertThat(script.get(15, TimeUnit.SECONDS)).hasMessageContaining("killed");

            assertThat(locks.lock("a").tryLock()).isTrue();
            proxy.dropConnectionAfterNextRequestContaining("\r\nR\r\n");
            assertThat(locks.lock("a").unlock())
                    .as("asked again at the same server")
                    .isTrue();
        }
    }

    /** An Error between a request and its reply left the reply in the connection, where the next caller took it for its own. */
    @Test
    @Faults(20)
    void errorBetweenRequestAndReply_doesNotShiftTheReplies() throws InterruptedException {
        try (RedisServer server = RedisServer.start();
                Holdfast holder = Holdfast.connect(server.uri());
                Holdfast locks = Holdfast.builder()
                        .uri(server.uri())
                        .commandTimeout(ofMillis(200))
                        .build()) {
            isAnsweredRight_howeverFarTheStackReaches(holder, locks);
        }
    }

    /** On a quorum it is also the others whose replies a caller reads, and to several servers that it writes. */
    @Test
    @Faults(20)
    void errorBetweenRequestAndReply_ofAQuorum_doesNotShiftTheReplies() throws InterruptedException {
        try (FiveServers five = new FiveServers()) {
            five.vouched(ofSeconds(60));
            String uri = five.networkUri("?maxLease=60s&nodeTimeout=200ms");
            try (Holdfast holder = Holdfast.connect(uri);
                    Holdfast locks = Holdfast.connect(uri)) {
                isAnsweredRight_howeverFarTheStackReaches(holder, locks);
            }
        }
    }

    private static void isAnsweredRight_howeverFarTheStackReaches(Holdfast holder, Holdfast locks)
            throws InterruptedException {
        assertThat(holder.lock("held").tryLock()).isTrue();
        assertThat(locks.lock("warm-up").tryLock()).isTrue();
        assertThat(locks.lock("warm-up").unlock()).isTrue();
        int deepest = 0;
        int step = 4096;
        while (step > 0) {
            boolean fits = lockAtDepth(locks, deepest + step) == null;
            assertThat(locks.lock("held").tryLock()).isFalse();
            if (fits) {
                deepest += step;
            } else {
                step /= 2;
            }
        }
        int overflows = 0;
        for (int depth = deepest; depth < deepest + 60; depth += 4) {
            overflows += lockAtDepth(locks, depth) == null ? 0 : 1;
            assertThat(locks.lock("held").tryLock()).as("after depth %s", depth).isFalse();
        }
        assertThat(overflows).as("times the stack ended on the way").isPositive();
    }

    /** Locks and unlocks so deep in a small stack; what went wrong, or null. */
    private static @Nullable Throwable lockAtDepth(Holdfast locks, int depth) throws InterruptedException {
        AtomicReference<@Nullable Throwable> wrong = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        descend(depth, () -> {
                            DistributedLock free = locks.lock("free");
                            if (free.tryLock()) {
                                free.unlock();
                            }
                        });
                    } catch (Throwable e) {
                        wrong.set(e);
                    }
                },
                "small stack",
                256 << 10);
        thread.start();
        thread.join();
        return wrong.get();
    }

    private static int descend(int depth, Runnable atTheBottom) {
        if (depth == 0) {
            atTheBottom.run();
            return 0;
        }
        return descend(depth - 1, atTheBottom) + 1;
    }

    /** A restart breaks the connection and loses the lock together: the repeated release claimed to have released it. */
    @Test
    @Faults({19, 27})
    void unlockAfterARestartWithoutMemory_isFalse() {
        try (RedisServer server = RedisServer.start();
                Holdfast locks = Holdfast.connect(server.uri());
                Holdfast other = Holdfast.connect(server.uri())) {
            DistributedLock lock = locks.lock("x");
            assertThat(lock.tryLock()).isTrue();
            server.kill9();
            server.restart();
            assertThat(other.lock("x").tryLock()).isTrue();
            assertThat(lock.unlock()).isFalse();
            assertThat(other.lock("x").isHeldByCurrentThread()).isTrue();
            assertThat(other.lock("x").unlock()).isTrue();
        }
    }

    /** The flag that says "an earlier attempt may have been carried out" got lost when the script had to be sent again. */
    @Test
    @Faults({19, 35})
    void releaseRepeatedWhileTheScriptsAreFlushed_isReportedAsReleased() throws Exception {
        try (RedisServer server = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(server.port());
                Holdfast locks = Holdfast.connect("redis://127.0.0.1:" + proxy.port())) {
            DistributedLock lock = locks.lock("x");
            assertThat(lock.tryLock()).isTrue();
            RequestTrap trap = proxy.dropConnectionAfterNextRequestContaining("\r\nR\r\n");
            proxy.delayReplies(ofMillis(50));
            Thread flusher = new Thread(() -> {
                trap.awaitSprung(ofSeconds(10));
                server.command("SCRIPT", "FLUSH");
            });
            flusher.start();
            boolean protectedToTheEnd = lock.unlock();
            flusher.join();
            assertThat(protectedToTheEnd).isTrue();
        }
    }

    /** An interrupt while the pool was exhausted was swallowed, and the flag with it. */
    @Test
    @Faults({22, 46})
    void interruptWhileThePoolIsExhausted_isKept() throws Exception {
        GenericObjectPoolConfig<Jedis> four = new GenericObjectPoolConfig<>();
        four.setMaxTotal(4);
        four.setJmxEnabled(false);
        try (RedisServer server = RedisServer.start();
                JedisPool pool = new JedisPool(four, "127.0.0.1", server.port());
                Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            List<Jedis> taken = List.of(pool.getResource(), pool.getResource(), pool.getResource(), pool.getResource());
            AtomicReference<Throwable> ended = new AtomicReference<>();
            Thread waiter = new Thread(
                    () -> ended.set(catchThrowable(() -> locks.lock("x").tryLock(Duration.ofMinutes(1)))));
            waiter.start();
            await().until(() -> pool.getNumWaiters() > 0);
            waiter.interrupt();
            await().atMost(ofSeconds(20)).until(() -> !waiter.isAlive());
            assertThat(ended.get()).isInstanceOf(InterruptedException.class);
            taken.forEach(Jedis::close);
        }
    }

    /** The pages of a scan were read by recursion: a million foreign keys ended the stack. */
    @Test
    void inspect_amongManyForeignKeys_findsTheLock() {
        try (RedisServer server = RedisServer.start();
                Holdfast locks = Holdfast.connect(server.uri())) {
            server.command("EVAL", "for i = 1, 400000 do redis.call('SET', 'foreign:' .. i, '') end", "0");
            server.command("HSET", "distributed_lock:no-lock", "a", "b");
            assertThat(locks.lock("x").tryLock()).isTrue();
            assertThat(locks.inspect("*"))
                    .singleElement()
                    .satisfies(found -> assertThat(found.name()).isEqualTo("x"));
        }
    }
}
