package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Platform;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.Pool;

class PoolSourceTest {
    private final Platform real = Platform.system();
    private final AtomicLong nanos = new AtomicLong();

    /** This machine, but for its clock. */
    private final Platform platform = (Platform) Proxy.newProxyInstance(
            Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (self, method, args) -> {
                if (method.getName().equals("nanoTime")) {
                    return nanos.get();
                }
                try {
                    return method.invoke(real, args);
                } catch (InvocationTargetException e) {
                    throw e.getTargetException();
                }
            });

    @AfterEach
    void close() {
        // Whoever was interrupted is to know; the next test is not.
        Thread.interrupted();
        real.close();
    }

    /** A pool without a connection to spare. Whoever waits is interrupted after 600 ms, as often as told. */
    private final class Exhausted extends Pool<Jedis> {
        final List<Long> waits = new ArrayList<>();
        private int interrupts;

        Exhausted(int interrupts) {
            super(new GenericObjectPoolConfig<>(), new BasePooledObjectFactory<>() {
                @Override
                public Jedis create() {
                    throw new AssertionError("nobody gets that far");
                }

                @Override
                public PooledObject<Jedis> wrap(Jedis jedis) {
                    throw new AssertionError("nobody gets that far");
                }
            });
            this.interrupts = interrupts;
        }

        @Override
        public Jedis borrowObject(long millis) throws Exception {
            waits.add(millis);
            if (interrupts-- > 0) {
                nanos.addAndGet(Duration.ofMillis(600).toNanos());
                throw new InterruptedException();
            }
            throw new NoSuchElementException("Timeout waiting for idle object");
        }
    }

    @Test
    void interrupt_doesNotStartTheWaitForAConnectionAnew() {
        try (Exhausted pool = new Exhausted(2)) {
            ConnectionSource source = PoolSource.of(pool, "the pool", platform);

            assertThatThrownBy(() -> source.open(Duration.ofSeconds(1), socket -> {}))
                    .isInstanceOf(JedisConnectionException.class)
                    .hasMessage("no connection came free in the pool within 1000 ms");

            assertThat(pool.waits).containsExactly(1_000L, 400L, 1L);
            assertThat(Thread.currentThread().isInterrupted()).as("kept").isTrue();
        }
    }
}
