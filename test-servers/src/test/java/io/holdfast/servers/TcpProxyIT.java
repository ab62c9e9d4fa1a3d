package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyIT {
    private static final Duration SOON = ofSeconds(5);
    private static final Duration SHORT = ofMillis(200);

    private static RedisServer redis;

    private TcpProxy proxy;
    private final List<Resp> clients = new ArrayList<>();

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void startProxy() {
        redis.flushAll();
        proxy = TcpProxy.to(redis.port());
    }

    @AfterEach
    void closeProxy() {
        clients.forEach(Resp::close);
        proxy.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("tcp-proxy-" + proxy.port()));
    }

    @Test
    void forwards_andCounts() {
        Resp client = client();
        assertThat(client.call("SET", "a", "1")).isEqualTo("OK");
        assertThat(client.call("GET", "a")).isEqualTo("1");
        assertThat(proxy.requestsSeen()).isEqualTo(2);
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
        assertThat(proxy.openConnections()).isEqualTo(1);
        assertThat(proxy.bytesToServer())
                .isEqualTo(Resp.encode("SET", "a", "1").length + Resp.encode("GET", "a").length);
        assertThat(proxy.bytesToClient()).isEqualTo("+OK\r\n$1\r\n1\r\n".length());
        client.close();
        await().atMost(SOON).until(() -> proxy.openConnections() == 0);
    }

    @Test
    void forwards_largeMessagesAndPipelines() {
        Resp client = client();
        String large = "x".repeat(3_000_000);
        assertThat(client.call("SET", "large", large)).isEqualTo("OK");
        assertThat(client.call("GET", "large")).isEqualTo(large);
        for (int i = 1; i <= 500; i++) {
            client.send("INCR", "n");
        }
        for (long i = 1; i <= 500; i++) {
            assertThat(client.read()).isEqualTo(i);
        }
        assertThat(proxy.requestsSeen()).isEqualTo(502);
    }

    @Test
    void forwards_tlsAsItIs() {
        try (RedisServer secure = RedisServer.builder().tls().start();
                TcpProxy front = TcpProxy.to(secure.port());
                Resp client = Resp.connect(
                        "127.0.0.1", front.port(), SOON, secure.certificate().clientContext())) {
            assertThat(client.call("PING")).isEqualTo("PONG");
            front.dropConnections();
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void forwards_whatIsNoRespAsItIs() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            socket.setSoTimeout((int) SOON.toMillis());
            socket.getOutputStream().write("PING\r\n".getBytes(UTF_8));
            assertThat(socket.getInputStream().readNBytes(7)).asString(UTF_8).isEqualTo("+PONG\r\n");
        }
    }

    @Test
    void forwards_theEndOfAConnectionToTheServer() {
        Resp client = client();
        client.call("CLIENT", "SETNAME", "leaver");
        client.close();
        awaitServerForgets("leaver");
    }

    @Test
    void forwards_theEndOfTheServerToTheClient() {
        Resp client = client();
        client.call("PING");
        redis.killClients();
        assertThatThrownBy(client::read).isInstanceOf(UncheckedIOException.class);
        await().atMost(SOON).until(() -> proxy.openConnections() == 0);
    }

    @Test
    void connect_toAServerThatIsNotThere_isClosed() {
        proxy.retarget("127.0.0.1", FreePort.find());
        assertThatThrownBy(() -> client().call("PING")).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void cut_closesAndRefuses_untilRestore() {
        Resp client = client();
        client.call("PING");
        proxy.cut();
        assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(this::client).hasMessageContaining("refused");
        proxy.restore();
        assertThat(client().call("PING")).isEqualTo("PONG");
        proxy.restore();
        assertThat(client().call("PING")).isEqualTo("PONG");
    }

    @Test
    void dropConnections_closesThePresentOnesOnly() {
        Resp client = client();
        client.call("PING");
        proxy.dropConnections();
        assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
        assertThat(client().call("PING")).isEqualTo("PONG");
    }

    @Test
    void delayRequests_isAddedToEachRequestOfAPipelineOnce() {
        proxy.delayRequests(ofMillis(150));
        Resp client = client();
        long start = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            client.send("INCR", "n");
        }
        assertThat(client.read()).isEqualTo(1L);
        assertThat(millisSince(start)).isGreaterThanOrEqualTo(150);
        for (long i = 2; i <= 5; i++) {
            assertThat(client.read()).isEqualTo(i);
        }
        assertThat(millisSince(start)).isLessThan(5 * 150);
        proxy.delayRequests(Duration.ZERO);
        assertThat(client.call("PING")).isEqualTo("PONG");
    }

    @Test
    void delayReplies_happensAfterTheServerHasDoneIt() {
        proxy.delayReplies(ofSeconds(60));
        Resp client = client();
        client.send("SET", "a", "1");
        await().atMost(SOON).until(() -> redis.keys().contains("a"));
        assertThat(proxy.bytesToClient()).isZero();
        proxy.delayReplies(Duration.ZERO);
        assertThat(client.read()).isEqualTo("OK");
    }

    @Test
    void delay_countsBothWays() {
        proxy.delay(ofMillis(60));
        long start = System.nanoTime();
        assertThat(client().call("PING")).isEqualTo("PONG");
        assertThat(millisSince(start)).isGreaterThanOrEqualTo(120);
    }

    @Test
    void delayedRequest_ofAClientThatLeft_stillArrives() {
        proxy.delayRequests(ofMillis(200));
        Resp client = client();
        client.send("SET", "a", "1");
        client.close();
        await().atMost(SOON).until(() -> redis.keys().contains("a"));
    }

    @Test
    void dropReplies_isDoneButNeverAnswered() {
        Resp client = client(SHORT);
        client.call("PING");
        proxy.dropReplies(true);
        assertThatThrownBy(() -> client.call("SET", "a", "1")).hasMessageContaining("no reply in time");
        assertThat(redis.keys()).containsExactly("a");
        assertThatThrownBy(() -> client(SHORT).call("PING")).hasMessageContaining("no reply in time");
        proxy.dropReplies(false);
        assertThatThrownBy(client::read).hasMessageContaining("connection lost");
        assertThat(client().call("GET", "a")).isEqualTo("1");
    }

    @Test
    void dropReplies_hidesTheEndOfTheServer() {
        Resp client = client(SHORT);
        client.call("PING");
        proxy.dropReplies(true);
        redis.killClients();
        for (int i = 0; i < 3; i++) {
            client.send("PING");
            assertThatThrownBy(client::read).hasMessageContaining("no reply in time");
        }
        proxy.restore();
        assertThatThrownBy(client::read).hasMessageContaining("connection lost");
    }

    @Test
    void dropRequests_neverReachTheServer() {
        Resp client = client(SHORT);
        client.call("CLIENT", "SETNAME", "half-open");
        proxy.dropRequests(true);
        assertThatThrownBy(() -> client.call("SET", "a", "1")).hasMessageContaining("no reply in time");
        client.close();
        await().atMost(SOON).until(() -> proxy.openConnections() == 0);
        assertThat(redis.keys()).isEmpty();
        assertThat(serverKnows("half-open")).isTrue();
        proxy.dropRequests(false);
        awaitServerForgets("half-open");
    }

    @Test
    void stall_holdsEverythingBack_andRestoreLetsItFlow() {
        Resp client = client(SHORT);
        client.call("PING");
        proxy.stall();
        client.send("SET", "a", "1");
        assertThatThrownBy(client::read).hasMessageContaining("no reply in time");
        assertThatThrownBy(() -> client(SHORT).call("PING")).hasMessageContaining("no reply in time");
        assertThat(redis.keys()).isEmpty();
        proxy.restore();
        assertThat(client.read()).isEqualTo("OK");
        assertThat(redis.keys()).containsExactly("a");
    }

    @Test
    void dripReplies_areSlow() {
        redis.command("SET", "a", "x".repeat(100));
        proxy.dripReplies(50);
        Resp client = client();
        client.send("GET", "a");
        long start = System.nanoTime();
        Object[] reply = new Object[1];
        CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> reply[0] = client.read());
        await().atMost(SOON).until(() -> proxy.bytesToServer() > 0 && millisSince(start) > 300);
        assertThat(reading).isNotDone();
        proxy.dripReplies(0);
        assertThat(reading).succeedsWithin(SOON);
        assertThat(reply[0]).isEqualTo("x".repeat(100));
    }

    @Test
    void cutAfter_isDoneAndUnknown_andTheProxyIsCut() {
        Resp client = client();
        RequestTrap trap = proxy.cutAfterNextRequestContaining("order:42".getBytes(UTF_8));
        assertThat(client.call("SET", "order:41", "x")).isEqualTo("OK");
        assertThat(trap.isSprung()).isFalse();
        assertThatThrownBy(() -> client.call("SET", "order:42", "y")).hasMessageContaining("connection lost");
        assertThat(new String(trap.awaitSprung(SOON), UTF_8)).contains("order:42");
        assertThat(redis.command("GET", "order:42")).isEqualTo("y");
        assertThatThrownBy(this::client).hasMessageContaining("refused");
        proxy.restore();
        assertThat(client().call("GET", "order:42")).isEqualTo("y");
    }

    @Test
    void cutAfter_inAPipeline_losesTheReplyOfThatRequestOnly() {
        Resp client = client();
        proxy.cutAfterNextRequestContaining("third");
        for (String key : List.of("first", "second", "third")) {
            client.send("SET", key, "1");
        }
        assertThat(client.read()).isEqualTo("OK");
        assertThat(client.read()).isEqualTo("OK");
        assertThatThrownBy(client::read).isInstanceOf(UncheckedIOException.class);
        assertThat(redis.keys()).containsExactlyInAnyOrder("first", "second", "third");
    }

    @Test
    void dropConnectionAfter_isDoneAndUnknown_andTheClientMayComeBack() {
        Resp other = client();
        other.call("PING");
        Resp client = client();
        RequestTrap trap = proxy.dropConnectionAfterNextRequestContaining("INCR");
        assertThatThrownBy(() -> client.call("INCR", "n")).hasMessageContaining("connection lost");
        trap.awaitSprung(SOON);
        assertThat(trap.isSprung()).isTrue();
        assertThat(client().call("INCR", "n")).isEqualTo(2L);
        assertThat(other.call("PING")).isEqualTo("PONG");
    }

    @Test
    void hold_keepsTheRequestUntilRelease() {
        HeldRequest held = proxy.holdNextRequestContaining("SET");
        assertThatThrownBy(held::release).hasMessageContaining("has come yet");
        Resp client = client();
        client.send("SET", "a", "1");
        client.send("SET", "b", "1");
        held.awaitSprung(SOON);
        await().atMost(SOON).until(() -> proxy.requestsSeen() == 2);
        assertThat(redis.keys()).isEmpty();
        held.release();
        assertThat(redis.keys()).contains("a");
        assertThat(client.read()).isEqualTo("OK");
        assertThat(client.read()).isEqualTo("OK");
        assertThatThrownBy(held::release).hasMessageContaining("released before");
    }

    @Test
    void hold_outlivesTheClientsConnection() {
        HeldRequest held = proxy.holdNextRequestContaining("late");
        Resp client = client();
        client.call("CLIENT", "SETNAME", "holder");
        client.send("SET", "late", "1");
        held.awaitSprung(SOON);
        client.close();
        await().atMost(SOON).until(() -> proxy.openConnections() == 0);
        assertThat(redis.keys()).isEmpty();
        held.release();
        assertThat(redis.keys()).containsExactly("late");
        awaitServerForgets("holder");
    }

    @Test
    void hold_outlivesACut_butWhatCameAfterItDoesNot() {
        HeldRequest held = proxy.holdNextRequestContaining("late");
        Resp client = client();
        client.send("SET", "late", "1");
        client.send("SET", "behind", "1");
        held.awaitSprung(SOON);
        await().atMost(SOON).until(() -> proxy.requestsSeen() == 2);
        proxy.cut();
        assertThatThrownBy(client::read).isInstanceOf(UncheckedIOException.class);
        assertThat(proxy.openConnections()).isZero();
        held.release();
        assertThat(redis.keys()).containsExactly("late");
        proxy.restore();
        assertThat(client().call("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void release_afterTheServerIsGone_saysSo() {
        try (RedisServer other = RedisServer.start()) {
            proxy.retarget("127.0.0.1", other.port());
            HeldRequest held = proxy.holdNextRequestContaining("SET");
            client().send("SET", "a", "1");
            held.awaitSprung(SOON);
            other.kill9();
            assertThatThrownBy(held::release).hasMessageContaining("closed before it answered");
        }
    }

    @Test
    void duplicate_arrivesASecondTimeWhenReleased() {
        HeldRequest copy = proxy.duplicateNextRequestContaining("INCR");
        Resp client = client();
        assertThat(client.call("INCR", "n")).isEqualTo(1L);
        copy.awaitSprung(SOON);
        client.close();
        assertThat(redis.command("GET", "n")).isEqualTo("1");
        copy.release();
        assertThat(redis.command("GET", "n")).isEqualTo("2");
    }

    @Test
    void duplicate_isAuthenticatedAsTheFirst() {
        try (RedisServer secret = RedisServer.builder().password("s3cret").start()) {
            proxy.retarget("127.0.0.1", secret.port());
            Resp client = client();
            client.call("AUTH", "s3cret");
            client.call("SELECT", "3");
            HeldRequest copy = proxy.duplicateNextRequestContaining("INCR");
            client.call("INCR", "n");
            copy.awaitSprung(SOON);
            copy.release();
            assertThat(client.call("GET", "n")).isEqualTo("2");
        }
    }

    @Test
    void restore_takesTrapsAway() {
        RequestTrap trap = proxy.cutAfterNextRequestContaining("PING");
        proxy.restore();
        assertThat(client().call("PING")).isEqualTo("PONG");
        assertThat(trap.isSprung()).isFalse();
        assertThatThrownBy(() -> trap.awaitSprung(ofMillis(10))).hasMessageContaining("'PING'");
    }

    @Test
    void trap_withoutAText_isRefused() {
        assertThatThrownBy(() -> proxy.holdNextRequestContaining("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void retarget_sendsNewConnectionsElsewhere() {
        try (RedisServer other = RedisServer.start()) {
            Resp old = client();
            old.call("PING");
            proxy.retarget("127.0.0.1", other.port());
            client().call("SET", "there", "1");
            old.call("SET", "here", "1");
            assertThat(other.keys()).containsExactly("there");
            assertThat(redis.keys()).containsExactly("here");
        }
    }

    @Test
    void close_whileAllIsStuck_endsEveryThread() {
        HeldRequest held = proxy.holdNextRequestContaining("SET");
        client().send("SET", "a", "1");
        held.awaitSprung(SOON);
        proxy.stall();
        client().send("PING");
        await().atMost(SOON).until(() -> proxy.requestsSeen() == 2);
        proxy.close();
        assertThat(proxy.openConnections()).isZero();
        assertThatThrownBy(held::release).hasMessageContaining("closed before it answered");
        proxy.restore();
        assertThatThrownBy(this::client).hasMessageContaining("refused");
    }

    private Resp client() {
        return client(SOON);
    }

    private Resp client(Duration timeout) {
        Resp client = Resp.connect("127.0.0.1", proxy.port(), timeout, null);
        clients.add(client);
        return client;
    }

    private static boolean serverKnows(String clientName) {
        return String.valueOf(redis.command("CLIENT", "LIST")).contains("name=" + clientName + " ");
    }

    private static void awaitServerForgets(String clientName) {
        await().atMost(SOON).until(() -> !serverKnows(clientName));
    }

    private static long millisSince(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }
}
