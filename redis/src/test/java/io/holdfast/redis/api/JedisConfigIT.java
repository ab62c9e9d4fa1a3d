package io.holdfast.redis.api;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.JedisConfig;
import io.holdfast.redis.RedisDistributedLock;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.exceptions.JedisException;

@Tag("jedis-compat")
class JedisConfigIT {
    private final RedisServer redis = SharedRedis.empty();

    @BeforeEach
    void useTheServer() {
        JedisConfig.init("127.0.0.1", redis.port(), null);
    }

    @AfterEach
    void close() {
        JedisConfig.close();
    }

    // --- defaults

    /** In a JVM where nobody has called init. */
    static final class Untouched {
        private Untouched() {}

        public static void main(String[] args) {
            try (Jedis jedis = JedisConfig.getJedisPool().getResource()) {
                System.out.println("to " + jedis.getConnection() + ", time-out "
                        + jedis.getConnection().getSoTimeout());
            } catch (JedisException e) {
                System.out.println("to " + e);
            }
        }
    }

    @Test
    void withoutInit_theServerIsLocalhost6379() {
        try (JvmProcess jvm = JvmProcess.start(Untouched.class)) {
            assertThat(jvm.awaitLine("to .*", ofSeconds(30))).contains("localhost:6379");
        }
    }

    @Test
    void pool_hasTheDocumentedLimits() {
        JedisPool pool = JedisConfig.getJedisPool();

        assertThat(pool.getMaxTotal()).isEqualTo(50);
        assertThat(pool.getMaxIdle()).isEqualTo(10);
        assertThat(pool.getMinIdle()).isEqualTo(5);
        assertThat(pool.getTestOnBorrow()).isTrue();
    }

    @Test
    void init_withoutTimeout_meansTwoSeconds() {
        assertThat(timeout()).isEqualTo(2_000);
    }

    @Test
    void init_withATimeout_usesIt() {
        JedisConfig.init("127.0.0.1", redis.port(), null, 1_234);

        assertThat(timeout()).isEqualTo(1_234);
    }

    private static int timeout() {
        try (Jedis jedis = JedisConfig.getJedisPool().getResource()) {
            return jedis.getConnection().getSoTimeout();
        }
    }

    @Test
    void pool_testsConnectionsWhenTheyAreBorrowed() {
        JedisPool pool = JedisConfig.getJedisPool();
        try (Jedis jedis = pool.getResource()) {
            jedis.ping();
        }
        redis.killClients();

        try (Jedis jedis = pool.getResource()) {
            assertThat(jedis.ping()).isEqualTo("PONG");
        }
    }

    // --- transitions

    @Test
    void getJedisPool_again_isTheSamePool() {
        assertThat(JedisConfig.getJedisPool()).isSameAs(JedisConfig.getJedisPool());
    }

    @Test
    void getJedisPool_byManyThreadsAtOnce_opensOne() throws Exception {
        Set<JedisPool> pools = new HashSet<>(Crowd.all(32, JedisConfig::getJedisPool));

        assertThat(pools).hasSize(1);
    }

    @Test
    void init_twice_closesTheFirstPoolAndTheLastCounts() {
        try (RedisServer second = RedisServer.start()) {
            JedisPool first = JedisConfig.getJedisPool();

            JedisConfig.init("127.0.0.1", second.port(), null);

            assertThat(first.isClosed()).isTrue();
            try (Jedis jedis = JedisConfig.getJedisPool().getResource()) {
                jedis.set("where", "second");
            }
            assertThat(second.command("GET", "where")).isEqualTo("second");
            assertThat(redis.keys()).isEmpty();
            JedisConfig.close();
        }
    }

    @Test
    void init_twice_releasesWhatWasLockedOverTheFirst() {
        RedisDistributedLock lock = new RedisDistributedLock("order:1");
        lock.lock();

        JedisConfig.init("127.0.0.1", redis.port(), null);

        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.unlock()).as("protected to its end").isFalse();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    void init_thatIsRefused_changesNothing() {
        JedisPool pool = JedisConfig.getJedisPool();

        assertThatIllegalArgumentException().isThrownBy(() -> JedisConfig.init("127.0.0.1", 0, null));

        assertThat(JedisConfig.getJedisPool()).isSameAs(pool);
        assertThat(pool.isClosed()).isFalse();
    }

    @Test
    void close_thenGet_opensANewPoolToTheSameServer() {
        JedisPool first = JedisConfig.getJedisPool();
        JedisConfig.close();

        JedisPool second = JedisConfig.getJedisPool();

        assertThat(first.isClosed()).isTrue();
        assertThat(second).isNotSameAs(first);
        try (Jedis jedis = second.getResource()) {
            assertThat(jedis.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void close_releasesWhatIsLocked() {
        new RedisDistributedLock("order:1").lock();

        JedisConfig.close();

        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void close_whenNothingIsOpen_doesNothing() {
        JedisConfig.close();
        JedisConfig.close();

        assertThat(new RedisDistributedLock("order:1").tryLock()).isTrue();
    }

    @Test
    void poolClosedByTheApplication_isReplaced() {
        RedisDistributedLock lock = new RedisDistributedLock("order:1");
        assertThat(lock.tryLock()).isTrue();
        JedisConfig.getJedisPool().close();

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(JedisConfig.getJedisPool().isClosed()).isFalse();
        assertThat(redis.keys()).as("what was held is released").containsExactly("distributed_lock:~fence");
        assertThat(lock.tryLock()).isTrue();
    }

    // --- the password

    @Test
    void password_isUsed() {
        try (RedisServer secured = RedisServer.builder().password("sesame").start()) {
            JedisConfig.init("127.0.0.1", secured.port(), "sesame");

            assertThat(new RedisDistributedLock("order:1").tryLock()).isTrue();
            JedisConfig.close();
        }
    }

    @Test
    void emptyPassword_isNone() {
        JedisConfig.init("127.0.0.1", redis.port(), "");

        assertThat(new RedisDistributedLock("order:1").tryLock()).isTrue();
    }

    @Test
    @Faults(23)
    void wrongPassword_isATypedErrorThatDoesNotShowIt() {
        try (RedisServer secured = RedisServer.builder().password("sesame").start()) {
            JedisConfig.init("127.0.0.1", secured.port(), "wrong-password");

            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> new RedisDistributedLock("order:1").tryLock())
                    .withMessageContaining("lock 'order:1': redis://127.0.0.1:" + secured.port() + " answered")
                    .withMessageContaining("does not accept the user or the password")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("wrong-password"));
        }
    }

    @Test
    @Faults(23)
    void missingPassword_isATypedErrorWithTheRemedy() {
        try (RedisServer secured = RedisServer.builder().password("sesame").start()) {
            JedisConfig.init("127.0.0.1", secured.port(), null);

            // The pool tests its connections and does not tell what the server answered.
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> new RedisDistributedLock("order:1").tryLock())
                    .withMessageContaining("lock 'order:1': cannot reach redis://127.0.0.1:" + secured.port())
                    .withMessageContaining("if the server wants a password, the pool may lack it");
        }
    }

    @Test
    @Faults(50)
    void serverThatIsNotThere_isATypedErrorWithItsAddress() {
        JedisConfig.init("127.0.0.1", 1, null, 500);

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> new RedisDistributedLock("order:1").tryLock())
                .withMessageStartingWith("lock 'order:1': cannot reach redis://127.0.0.1:1: ");
    }

    // --- what is refused

    @ParameterizedTest
    @CsvSource({
        "'', 6379, 2000, host '' must not be blank",
        "' ', 6379, 2000, host ' ' must not be blank",
        "h, 0, 2000, port 0 is not between 1 and 65535",
        "h, -1, 2000, port -1 is not between 1 and 65535",
        "h, 65536, 2000, port 65536 is not between 1 and 65535",
        "h, 6379, 9, timeout 9 ms is not between 10 and 60000 ms",
        "h, 6379, 0, timeout 0 ms is not between 10 and 60000 ms",
        "h, 6379, 60001, timeout 60001 ms is not between 10 and 60000 ms",
    })
    void badServer_isRefusedWithTheValueAndTheRule(String host, int port, int timeout, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JedisConfig.init(host, port, null, timeout))
                .withMessage(message);
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void nullHost_isRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> JedisConfig.init(null, 6379, null))
                .withMessage("host");
    }
}
