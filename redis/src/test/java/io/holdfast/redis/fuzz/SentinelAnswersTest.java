package io.holdfast.redis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sentinels that say what real ones cannot easily be brought to say. */
class SentinelAnswersTest {
    private final FakeServer sentinel = new FakeServer();
    private final FakeServer server = new FakeServer();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final List<String> served = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void stop() {
        sentinel.close();
        server.close();
    }

    /** Answers one command in its own way, and writes down what it hears. */
    private static void behave(FakeServer server, List<String> heard, String command, String answer) {
        server.behave((asked, good, out) -> {
            heard.add(String.join(" ", asked));
            out.write(asked.get(0).equals(command) ? ToyRedis.bytes(answer) : good);
        });
    }

    private void sentinelNames(FakeServer named) {
        String port = Integer.toString(named.port());
        behave(sentinel, asked, "SENTINEL", "*2\r\n$9\r\n127.0.0.1\r\n$" + port.length() + "\r\n" + port + "\r\n");
    }

    private Holdfast connect(String login, String more) {
        return Holdfast.builder()
                .uri("redis-sentinel://" + login + "127.0.0.1:" + sentinel.port() + more)
                .commandTimeout(Duration.ofSeconds(2))
                .build();
    }

    @Test
    void logins_areThoseOfTheSentinelsAndThoseOfTheServer() {
        sentinelNames(server);
        behave(server, served, "ROLE", "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
        try (Holdfast locks = connect("u:sesame@", "/mymaster?sentinelUser=s&sentinelPassword=open")) {
            assertThat(locks.lock("a").tryLock()).isTrue();
        }
        assertThat(asked)
                .contains("SENTINEL get-master-addr-by-name mymaster")
                .anyMatch(command -> command.endsWith("AUTH s open"))
                .noneMatch(command -> command.contains("sesame"));
        assertThat(served)
                .anyMatch(command -> command.endsWith("AUTH u sesame"))
                .noneMatch(command -> command.contains("open"));
    }

    @Test
    void oneSentinelOfMany_isEnough() {
        sentinelNames(server);
        try (Holdfast locks = connect("", ",127.0.0.1:1,127.0.0.1:2/mymaster")) {
            assertThat(locks.lock("a").tryLock()).isTrue();
        }
    }

    @Test
    @Faults(38)
    void replicaThatIsCalledTheMaster_isAskedForNothing() {
        sentinelNames(server);
        behave(server, served, "ROLE", "*5\r\n$5\r\nslave\r\n$1\r\nh\r\n:1\r\n$9\r\nconnected\r\n:0\r\n");
        try (Holdfast locks = connect("", "/mymaster")) {
            assertThatThrownBy(() -> locks.lock("a").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("says of itself that it is a slave");
            assertThat(served).noneMatch(command -> command.startsWith("EVAL"));

            behave(server, served, "ROLE", "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
            assertThat(locks.lock("a").tryLock()).as("once it is the master").isTrue();
        }
    }

    @Test
    void masterThatNoSentinelKnows_isAMistakeInTheUri() {
        behave(sentinel, asked, "SENTINEL", "*-1\r\n");
        try (Holdfast locks = connect("", "/mymaster")) {
            assertThatThrownBy(() -> locks.lock("a").tryLock())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("knows no master 'mymaster'");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":1\r\n",
                "+OK\r\n",
                "$-1\r\n",
                "*0\r\n",
                "*1\r\n$9\r\n127.0.0.1\r\n",
                "*2\r\n$9\r\n127.0.0.1\r\n$3\r\nabc\r\n",
                "*2\r\n$9\r\n127.0.0.1\r\n$6\r\n999999\r\n",
                "*2\r\n$9\r\n127.0.0.1\r\n$2\r\n-1\r\n",
                "*2\r\n$9\r\n127.0.0.1\r\n$1\r\n1\r\n",
                "*2\r\n$-1\r\n$1\r\n1\r\n",
                "-NOAUTH Authentication required.\r\n",
                "-IDONTKNOW I have not enough information\r\n",
                "nonsense\r\n",
            })
    void badAnswer_isAFailureAndNeverALock(String answer) {
        behave(sentinel, asked, "SENTINEL", answer);
        try (Holdfast locks = connect("", "/mymaster")) {
            assertThatThrownBy(() -> locks.lock("a").tryLock())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("redis-sentinel://127.0.0.1:" + sentinel.port() + "/mymaster");
        }
    }
}
