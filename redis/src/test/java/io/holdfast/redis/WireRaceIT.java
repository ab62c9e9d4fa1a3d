package io.holdfast.redis;

import static io.holdfast.redis.Callers.echo;
import static io.holdfast.redis.Callers.text;
import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads on one wire while it breaks. A call may fail; it never gets the reply of another. */
@Tag("race")
class WireRaceIT {
    private static final int THREADS = Wire.LARGEST_BATCH;
    private static final int DEEPEST = 100_000;

    private final RedisServer redis = SharedRedis.empty();
    private final Platform platform = Platform.system();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Queue<Object> wrong = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private TcpProxy proxy;
    private CountingSource source;
    private Wire wire;

    @BeforeEach
    void connect() {
        proxy = TcpProxy.to(redis.port());
        source = new CountingSource(RedisUri.parse(new StoreUri("redis://127.0.0.1:" + proxy.port())));
        wire = new Wire(source, platform);
    }

    @AfterEach
    void close() {
        over.set(true);
        proxy.restore();
        wire.close();
        proxy.close();
        platform.close();
    }

    /** Calls that say who they are, by ECHO and by scripts. */
    private void start(int number, Duration timeout) {
        threads.add(new Thread(
                () -> {
                    for (int i = 0; !over.get(); i++) {
                        call(timeout, number + "-" + i + "-" + "x".repeat(i % 200), i % 3 == 0);
                    }
                },
                "caller " + number));
    }

    private void call(Duration timeout, String mark, boolean script) {
        try {
            String reply = text(wire.call(timeout, script ? script(mark) : echo(mark)));
            answers.incrementAndGet();
            if (!reply.equals(mark)) {
                wrong.add("'" + reply + "' in answer to '" + mark + "'");
            }
        } catch (StoreFailure e) {
            failures.incrementAndGet();
        } catch (RuntimeException | Error e) {
            wrong.add(e);
        }
    }

    private static Request script(String mark) {
        return Request.byHash(
                "return ARGV[1]".getBytes(UTF_8),
                "098e0f0d1448c0a81dafe820f66d460eb09263da".getBytes(UTF_8),
                "0".getBytes(UTF_8),
                mark.getBytes(UTF_8));
    }

    private void run() {
        threads.forEach(Thread::start);
    }

    private void end() {
        over.set(true);
        until(() -> threads.stream().noneMatch(Thread::isAlive));
        assertThat(wrong).isEmpty();
    }

    private void awaitAnswers(long more) {
        long goal = answers.get() + more;
        until(() -> answers.get() >= goal || !wrong.isEmpty());
    }

    @Test
    void quietWire_needsFarFewerWritesThanCommands() {
        for (int i = 0; i < THREADS; i++) {
            start(i, ofSeconds(10));
        }
        run();
        awaitAnswers(10_000);
        end();
        assertThat(failures).hasValue(0);
        assertThat(source.writes()).isLessThan(answers.get() / 4);
    }

    @Test
    @Faults({20, 22})
    void cutsAndStalls_mixUpNoReplies() throws Exception {
        for (int i = 0; i < THREADS; i++) {
            start(i, ofMillis(i % 4 == 0 ? 60 : 2_000));
        }
        run();
        for (int round = 0; round < 40; round++) {
            awaitAnswers(100);
            switch (round % 4) {
                case 0, 2 -> proxy.dropConnections();
                case 1 -> {
                    proxy.stall();
                    TimeUnit.MILLISECONDS.sleep(80);
                    proxy.restore();
                }
                default -> redis.killClients();
            }
        }
        end();
        assertThat(proxy.connectionsAccepted()).isGreaterThan(20);
    }

    @Test
    @Faults(35)
    void flushedScripts_failNobody() {
        for (int i = 0; i < 16; i++) {
            start(i, ofSeconds(10));
        }
        run();
        for (int round = 0; round < 50; round++) {
            redis.command("SCRIPT", "FLUSH");
            awaitAnswers(50);
        }
        end();
        assertThat(failures).hasValue(0);
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    /** Whoever leads may come to the end of its stack anywhere: while it writes, reads, or hands on. */
    @Test
    @Faults(20)
    void leadersAtTheEndOfTheirStack_hangNobodyAndMixUpNoReplies() throws Exception {
        for (int i = 0; i < 8; i++) {
            start(i, ofSeconds(2));
        }
        run();
        // A class that is first used at the end of a stack can stay unusable in this JVM: let all be used before.
        awaitAnswers(100);
        proxy.dropConnections();
        proxy.stall();
        call(ofMillis(50), "too late", false);
        proxy.restore();
        awaitAnswers(100);
        assertThat(failures).hasPositiveValue();
        AtomicLong overflows = new AtomicLong();
        for (int round = 0; round < 40; round++) {
            Thread small = new Thread(null, () -> descend(overflows), "small stack", 256 << 10);
            small.start();
            small.join();
        }
        awaitAnswers(1_000);
        end();
        assertThat(overflows).hasPositiveValue();
    }

    /** Calls at every depth on the way back from the end of the stack. */
    private void descend(AtomicLong overflows) {
        try {
            descend(overflows, 0);
        } catch (StackOverflowError e) {
            overflows.incrementAndGet();
        } catch (StoreFailure e) {
            // It was led by one of those who died.
            failures.incrementAndGet();
        }
    }

    private void descend(AtomicLong overflows, int depth) {
        if (depth < DEEPEST) {
            try {
                descend(overflows, depth + 1);
            } catch (StackOverflowError e) {
                overflows.incrementAndGet();
                wire.call(ofSeconds(2), echo("at the end of the stack"));
            }
        }
    }

    @Test
    void close_endsEverybody() {
        AtomicLong closed = new AtomicLong();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                try {
                    for (int n = 0; ; n++) {
                        wire.call(ofSeconds(10), echo("call " + n));
                        answers.incrementAndGet();
                    }
                } catch (StoreFailure e) {
                    closed.incrementAndGet();
                    if (!e.reason().endsWith("is closed")) {
                        wrong.add(e);
                    }
                }
            }));
        }
        run();
        awaitAnswers(1_000);
        wire.close();
        end();
        assertThat(closed).hasValue(THREADS);
        until(() -> proxy.openConnections() == 0);
    }
}
