package io.holdfast.redis.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Faults;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No message of a new master reaches the client, and Sentinels say different things when they are asked. */
class SentinelsDisagreeTest {
    /** Each is asked in its turn, every few seconds, and at most two say nothing new. */
    private static final Duration LOOKS = ofSeconds(20);

    private final FakeServer old = new FakeServer();
    private final FakeServer young = new FakeServer();
    private final List<FakeServer> sentinels = List.of(new FakeServer(), new FakeServer(), new FakeServer());
    private final ConcurrentMap<FakeServer, Integer> asked = new ConcurrentHashMap<>();
    private final AtomicInteger looks = new AtomicInteger();

    @BeforeEach
    void bothTakeThemselvesForTheMaster() {
        for (FakeServer server : List.of(old, young)) {
            server.behave((command, good, out) -> {
                if (command.get(0).equals("ROLE")) {
                    out.write(ToyRedis.bytes("*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"));
                } else {
                    if (command.get(0).startsWith("EVAL")) {
                        asked.merge(server, 1, Integer::sum);
                    }
                    out.write(good);
                }
            });
        }
    }

    @AfterEach
    void stop() {
        sentinels.forEach(FakeServer::close);
        old.close();
        young.close();
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    /** @param epoch an error if it may not be asked for that */
    private void says(FakeServer sentinel, FakeServer master, String epoch) {
        sentinel.behave((command, good, out) -> {
            String address = bulk("127.0.0.1") + bulk(Integer.toString(master.port()));
            if (command.get(0).equals("SENTINEL")) {
                looks.incrementAndGet();
            }
            if (!command.get(0).equals("SENTINEL")) {
                out.write(good);
            } else if (!command.get(1).equals("master")) {
                out.write(ToyRedis.bytes("*2\r\n" + address));
            } else if (epoch.startsWith("-")) {
                out.write(ToyRedis.bytes(epoch + "\r\n"));
            } else {
                out.write(ToyRedis.bytes(
                        "*4\r\n" + bulk("name") + bulk("mymaster") + bulk("config-epoch") + bulk(epoch)));
            }
        });
    }

    private Holdfast connect() {
        return Holdfast.builder()
                .uri(sentinels.stream()
                        .map(sentinel -> "127.0.0.1:" + sentinel.port())
                        .collect(Collectors.joining(",", "redis-sentinel://", "/mymaster")))
                .commandTimeout(ofSeconds(2))
                .build();
    }

    /** How often any Sentinel was asked. */
    private int looks() {
        return looks.get();
    }

    private int asked(FakeServer server) {
        return asked.getOrDefault(server, 0);
    }

    private void awaitAsks(Holdfast locks, FakeServer server) {
        await().atMost(LOOKS).until(() -> {
            int before = asked(server);
            return locks.lock("a").tryLock(ofSeconds(1)) && locks.lock("a").unlock() && asked(server) > before;
        });
    }

    @Test
    @Faults({24, 25, 38})
    void oneThatKnowsOfALaterFailover_isRight_whoeverIsListenedTo() {
        sentinels.forEach(sentinel -> says(sentinel, old, "4"));
        try (Holdfast locks = connect()) {
            awaitAsks(locks, old);

            says(sentinels.get(1), young, "5");
            awaitAsks(locks, young);

            int before = asked(old);
            for (int i = 0; i < 5; i++) {
                // Opens a connection anew, and the first Sentinel to be asked may be one that knows less.
                locks.health();
                awaitAsks(locks, young);
            }
            assertThat(asked(old)).as("nobody goes back").isEqualTo(before);
        }
    }

    /** It stays among those that are open until somebody comes to use it, and each look found it there again. */
    @Test
    void connectionThatNobodyUses_isClosedOnce() {
        sentinels.forEach(sentinel -> says(sentinel, old, "4"));
        PrintStream err = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        try (Holdfast locks = connect()) {
            try (Lease lease = locks.lock("b").acquire(ofSeconds(5))) {
                // Over the connection for renewals, which is not used again.
                lease.extend(ofSeconds(60));
            }
            System.setErr(new PrintStream(log, true, UTF_8));
            sentinels.forEach(sentinel -> says(sentinel, young, "5"));
            awaitAsks(locks, young);
            int looks = looks();
            await().atMost(LOOKS).until(() -> looks() > looks + 2);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this", e);
        } finally {
            System.setErr(err);
        }
        assertThat(log.toString(UTF_8).lines().filter(line -> line.contains("has another master")))
                .as("for commands, and for renewals")
                .hasSizeBetween(1, 2);
    }

    @Test
    void sentinelsThatWereSetUpAnew_areBelieved_thoughTheyCountFromTheBeginning() {
        sentinels.forEach(sentinel -> says(sentinel, old, "7"));
        try (Holdfast locks = connect()) {
            awaitAsks(locks, old);

            sentinels.forEach(sentinel -> says(sentinel, young, "0"));

            awaitAsks(locks, young);
        }
    }

    @Test
    void withoutTheRightToAskForMore_theyTellTheMasterAsEver() {
        sentinels.forEach(sentinel -> says(sentinel, old, "-NOPERM no permissions to run 'sentinel|master'"));
        try (Holdfast locks = connect()) {
            awaitAsks(locks, old);
            assertThat(locks.health().warnings()).anyMatch(warning -> warning.endsWith("grant +sentinel|master"));
        }
    }
}
