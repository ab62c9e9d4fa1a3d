package io.holdfast.redis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes of a cluster that say what real ones cannot easily be brought to say. */
class ClusterAnswersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final FakeServer first = new FakeServer();
    private final FakeServer second = new FakeServer();
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void stop() {
        first.close();
        second.close();
    }

    /** Answers as a server does, unless told otherwise, and CLUSTER SLOTS with one node that has them all. */
    private void behave(FakeServer node, FakeServer owner, Function<String, @Nullable String> otherwise) {
        node.behave((command, good, out) -> {
            if (node == second) {
                heard.add(command.get(0));
            }
            String answer = otherwise.apply(command.get(0));
            if (answer == null && command.get(0).equals("CLUSTER")) {
                answer = allSlotsOf(owner);
            }
            out.write(answer == null ? good : ToyRedis.bytes(answer));
        });
    }

    private static String allSlotsOf(FakeServer owner) {
        return "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:" + owner.port() + "\r\n$1\r\nx\r\n";
    }

    private Holdfast connect() {
        return Holdfast.builder()
                .uri("redis-cluster://127.0.0.1:" + first.port())
                .commandTimeout(TIMEOUT)
                .build();
    }

    private static String error(String code, FakeServer to) {
        return "-" + code + " 7 127.0.0.1:" + to.port() + "\r\n";
    }

    @Test
    @Faults(36)
    void moved_isFollowed() {
        behave(first, first, command -> command.startsWith("EVAL") ? error("MOVED", second) : null);
        behave(second, second, command -> null);
        try (Holdfast locks = connect()) {
            assertThat(locks.lock("a").tryLock()).isTrue();
            assertThat(locks.lock("a").unlock()).isTrue();
        }
    }

    @Test
    @Faults(36)
    void movedWithoutAHost_isAnotherPortOfTheSame() {
        behave(first, first, command -> command.startsWith("EVAL") ? "-MOVED 7 :" + second.port() + "\r\n" : null);
        behave(second, second, command -> null);
        try (Holdfast locks = connect()) {
            assertThat(locks.lock("a").tryLock()).isTrue();
        }
    }

    @Test
    @Faults(36)
    void ask_isFollowedOnceAndAnnounced() {
        behave(first, first, command -> command.startsWith("EVAL") ? error("ASK", second) : null);
        behave(second, first, command -> command.equals("ASKING") ? "+OK\r\n" : null);
        try (Holdfast locks = connect()) {
            assertThat(locks.lock("a").tryLock()).isTrue();
            assertThat(heard.get(heard.indexOf("EVALSHA") - 1)).isEqualTo("ASKING");
            behave(first, first, command -> null);
            heard.clear();
            assertThat(locks.lock("b").tryLock()).isTrue();
            assertThat(heard).as("what it is asked once the slot is back").doesNotContain("EVALSHA");
        }
    }

    /** Nobody knows what became of the acquire, so its release is said twice; and in between the slot moves. */
    @Test
    @Faults({16, 36})
    void releaseThatIsSaidAgain_goesToWhereTheLockIsByThen() throws InterruptedException {
        AtomicBoolean moved = new AtomicBoolean();
        CountDownLatch again = new CountDownLatch(1);
        first.behave((command, good, out) -> {
            boolean script = command.get(0).startsWith("EVAL");
            boolean acquires = command.contains("A");
            if (command.get(0).equals("CLUSTER")) {
                out.write(ToyRedis.bytes(allSlotsOf(first)));
            } else if (script && moved.get()) {
                out.write(ToyRedis.bytes(error("MOVED", second)));
            } else if (script && acquires) {
                out.write(ToyRedis.bytes("-TRYAGAIN nobody knows\r\n"));
            } else {
                if (script) {
                    moved.set(true);
                }
                out.write(good);
            }
        });
        second.behave((command, good, out) -> {
            if (command.contains("R")) {
                again.countDown();
            }
            out.write(command.get(0).equals("CLUSTER") ? ToyRedis.bytes(allSlotsOf(second)) : good);
        });
        try (Holdfast locks = connect()) {
            assertThatThrownBy(() -> locks.lock("a").tryLock()).isInstanceOf(StoreUnavailableException.class);
            assertThat(again.await(60, TimeUnit.SECONDS))
                    .as("it was said there")
                    .isTrue();
        }
    }

    @Test
    @Faults(36)
    void nodesThatSendToEachOther_endInAFailure() {
        behave(first, first, command -> command.startsWith("EVAL") ? error("MOVED", second) : null);
        behave(second, second, command -> command.startsWith("EVAL") ? error("MOVED", first) : null);
        try (Holdfast locks = connect()) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> locks.lock("a").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("sends from one node to the other");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TIMEOUT.multipliedBy(2));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN Hash slot not served",
                "LOADING Redis is loading the dataset in memory",
                "READONLY You can't write against a read only replica.",
            })
    @Faults({26, 36})
    void errorThatGoesBy_isAFailure_andGoesBy(String error) {
        behave(first, first, command -> command.startsWith("EVAL") ? "-" + error + "\r\n" : null);
        try (Holdfast locks = connect()) {
            assertThatThrownBy(() -> locks.lock("a").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(error);
            behave(first, first, command -> null);
            assertThat(locks.lock("b").tryLock()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":1\r\n",
                "+OK\r\n",
                "$-1\r\n",
                "*0\r\n",
                "*1\r\n:1\r\n",
                "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                "*1\r\n*3\r\n:-1\r\n:5\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                "*1\r\n*3\r\n$1\r\na\r\n:5\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\n?\r\n:1\r\n",
                "*1\r\n*3\r\n:0\r\n:16383\r\n*1\r\n$1\r\nh\r\n",
                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:70000\r\n",
                "-ERR This instance has cluster support disabled\r\n",
                "-NOPERM this user has no permissions to run the 'cluster|slots' command\r\n",
                "nonsense\r\n",
            })
    void badMap_isAFailureAndNeverALock(String answer) {
        behave(first, first, command -> command.equals("CLUSTER") ? answer : null);
        try (Holdfast locks = connect()) {
            assertThatThrownBy(() -> locks.lock("a").tryLock())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("127.0.0.1:");
        }
    }
}
