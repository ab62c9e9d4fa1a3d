package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;

/** The turn to read on one connection, where a test is the server, and says when the line's own thread wakes up. */
class NodeLineTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch wakesUp = new CountDownLatch(1);
    private volatile long aheadNanos;

    /** A caller has come upon nonsense, and the line's own thread, which is to end the connection, has not run since. */
    @Test
    void replyThatMadeNoSense_isNotFollowedByAnyOther() throws Exception {
        try (Platform platform = drowsy();
                ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NodeLine line = new NodeLine(new To(listener), platform, new Plain(), HOUR, HOUR);
            Heard first = new Heard();
            line.send(first);
            try (Socket server = listener.accept()) {
                say(server, ":1\r\n");
                until(() -> Long.valueOf(1).equals(first.reply));
                assertThat(asleep.await(10, TimeUnit.SECONDS)).isTrue();

                Heard second = new Heard();
                line.send(second);
                say(server, "+a\rb"); // does not end as it should; what follows looks like a reply
                line.read(second);
                aheadNanos = TimeUnit.SECONDS.toNanos(10); // so long callers have let it alone
                Heard third = new Heard();
                line.send(third);
                say(server, ":3\r\n");
                line.read(third);

                assertThat(second.reply).isNull();
                assertThat(third.reply).isNull();
                wakesUp.countDown();
                until(() -> second.failure != null && third.failure != null);
                assertThat(second.reply).isNull();
                assertThat(third.reply).isNull();
            } finally {
                wakesUp.countDown();
                line.close();
            }
        }
    }

    /** Whoever waits reads for those before it, and hands over to the line's own thread when the server is slow. */
    @Test
    void manyWhoRead_eachHearTheirOwnReply() throws Exception {
        int callers = 6;
        int questions = 150;
        ExecutorService threads = Executors.newFixedThreadPool(callers + 1);
        try (Platform platform = Platform.system();
                ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NodeLine line = new NodeLine(new To(listener), platform, new Plain(), HOUR, HOUR);
            threads.submit(() -> echo(listener));
            List<Future<List<Heard>>> asked = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                int first = i * questions;
                asked.add(threads.submit(() -> {
                    List<Heard> all = new ArrayList<>();
                    for (int number = first; number < first + questions; number++) {
                        Heard call = new Heard(number);
                        all.add(call);
                        call.awaited = true;
                        line.send(call);
                        line.read(call);
                        until(() -> call.reply != null || call.failure != null);
                        call.awaited = false;
                    }
                    return all;
                }));
            }
            for (Future<List<Heard>> one : asked) {
                assertThat(one.get(60, TimeUnit.SECONDS))
                        .allSatisfy(call -> assertThat(call.reply).isEqualTo(call.number));
            }
            line.close();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Answers each command with its last word; now and then late, or in pieces. */
    private static @Nullable Void echo(ServerSocket listener) throws Exception {
        Random random = new Random(11);
        try (Socket server = listener.accept()) {
            server.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(server.getInputStream(), US_ASCII));
            for (String word = in.readLine(); word != null; word = in.readLine()) {
                if (!word.startsWith("last:")) {
                    continue;
                }
                String reply = ":" + word.substring(5) + "\r\n";
                int kind = random.nextInt(20);
                int cut = kind < 4 ? random.nextInt(reply.length()) : 0;
                say(server, reply.substring(0, cut));
                if (kind < 2) {
                    Thread.sleep(1 + random.nextInt(5));
                }
                say(server, reply.substring(cut));
            }
        }
        return null;
    }

    private static void say(Socket server, String reply) throws IOException {
        server.getOutputStream().write(reply.getBytes(US_ASCII));
    }

    /** This machine, whose clock stands still, and where a thread that has fallen asleep sleeps for as long as the test likes. */
    private Platform drowsy() {
        Platform real = Platform.system();
        long start = real.nanoTime();
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (proxy, method, args) -> {
                    if (method.getName().equals("nanoTime")) {
                        return start + aheadNanos;
                    }
                    if (method.getName().equals("park")) {
                        asleep.countDown();
                        wakesUp.await();
                        return null;
                    }
                    return method.invoke(real, args);
                });
    }

    private record To(ServerSocket listener) implements ConnectionSource {
        @Override
        public Connection open(Duration timeout, Consumer<Closeable> opening) {
            try {
                opening.accept(new Socket(listener.getInetAddress(), listener.getLocalPort()));
                return new Connection(); // which is never used
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void drop(Connection connection) {}

        @Override
        public String address() {
            return "a test";
        }
    }

    private static final class Plain implements NodeLine.Server {
        @Override
        public NodeSession greet(Connection opened) {
            NodeSession session = NodeSession.read(
                    (command, argument) -> "run_id:one\r\nuptime_in_seconds:100\r\n",
                    Duration.ofSeconds(1),
                    "key",
                    new NodeLives(),
                    () -> 0);
            if (session == null) {
                throw new AssertionError("it said who it is");
            }
            return session;
        }

        @Override
        public long clockMicros(long nanos) {
            return 0;
        }

        @Override
        public void parted(String life, long nanos) {}

        @Override
        public String address() {
            return "a test";
        }
    }

    private static final class Heard extends NodeCall {
        private final long number;
        private volatile @Nullable Object reply;
        private volatile @Nullable StoreFailure failure;
        private volatile boolean awaited;

        Heard() {
            this(0);
        }

        Heard(long number) {
            super(new NodeCommand(Script.QUORUM, List.of("k"), List.of("release")));
            this.number = number;
        }

        @Override
        String last(long clockMicros) {
            return "last:" + number;
        }

        @Override
        void answered(@Nullable Object heard, String life) {
            reply = heard;
        }

        @Override
        void failed(StoreFailure why) {
            failure = why;
        }

        @Override
        StoreFailure late() {
            return StoreFailure.unavailable("late", null);
        }

        @Override
        boolean votes() {
            return false;
        }

        @Override
        boolean isOver() {
            return false;
        }

        @Override
        boolean isAwaited() {
            return awaited;
        }

        @Override
        void read() {}

        @Override
        boolean again() {
            return false;
        }

        @Override
        long timeoutNanos() {
            return HOUR.toNanos();
        }
    }
}
