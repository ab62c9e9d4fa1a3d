package io.holdfast.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisLockExampleIT {
    private static final Orders ORDERS = new Orders();
    private static List<String> lines = List.of();
    private static final RedisServer REDIS = RedisServer.start();

    @BeforeAll
    static void run() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RedisLockExample.run(REDIS.uri(), ORDERS, new PrintStream(bytes, true, UTF_8));
        lines = bytes.toString(UTF_8).lines().toList();
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @Test
    void everyWayToConnect_givesALock() {
        for (String way : List.of("connect", "builder", "short form", "own pool")) {
            assertThat(lines).contains(way + ": obtained true, given back true");
        }
        // The server of this test keeps no file, and is told so.
        assertThat(lines)
                .anyMatch(line -> line.startsWith(
                        "builder: the store is reachable: true, warnings: [appendonly is no: a restart"));
    }

    @Test
    void basics_doWhatTheySay() {
        assertThat(lines)
                .contains(
                        "basic use: order 1001 is PAID, protected to the end: true",
                        "timed wait: while another has it: false",
                        "timed wait: the other gives it back: true",
                        "timed wait: now: true, and given back: true",
                        "own lease: held for 60 s at most, given back in time: true",
                        "re-entrancy: again true, holds 2, unlocked true and true, still held false, one unlock too many"
                                + " false",
                        "async: shop:order:1006 held, no thread waited")
                .anyMatch(line -> line.matches("handle: token [0-9]+, valid for 2[0-9] s without a renewal"));
        assertThat(ORDERS.status("1001")).isEqualTo("PAID");
    }

    @Test
    void lostLock_isRolledBack() {
        assertThat(lines)
                .contains(
                        "unlock() said false: order 2001 is NEW again",
                        "close() threw: order 2002 is NEW again, because EXPIRED",
                        "lost() stopped the job: order 2003 is NEW",
                        "release() said false",
                        "interrupted in the middle of the work",
                        "unlock() said false after the interrupt");
        assertThat(List.of("2001", "2002", "2003"))
                .allMatch(order -> ORDERS.status(order).equals("NEW"));
    }

    @Test
    void lostLock_raisesAnAlarm() {
        assertThat(lines)
                .contains(
                        "alarm: shop:order:2001 lost: EXPIRED",
                        "alarm: shop:order:2002 lost: EXPIRED",
                        "alarm: shop:order:2003 lost: GONE",
                        "alarm: shop:order:2004 lost: GONE",
                        "alarms came for all four: true");
    }

    @Test
    void oldHolder_isRefusedByTheGate() {
        assertThat(lines)
                .contains(
                        "fencing: the next holder has a higher token: true",
                        "fencing: the old holder is refused, the stock stays 11");
    }

    @Test
    void everyError_hasItsAnswer() {
        assertThat(lines)
                .contains(
                        "errors: order 3001: SHIPPED, now SHIPPED",
                        "errors: order 3002: ROLLED_BACK, now SHIPPED BY ANOTHER",
                        "errors: order 3003: BUSY, now NEW",
                        "errors: order 3004: StoreRefusedException, still NEW",
                        "errors: order 3005: TRY_LATER, now NEW");
    }

    @Test
    void nothingStaysInRedis_butTheCounterOfTheTokens() {
        assertThat(REDIS.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void main_runsWithAnAddress() {
        try (RedisServer own = RedisServer.builder().password("secret/1").start();
                JvmProcess example = JvmProcess.start(RedisLockExample.class, own.uri())) {
            assertThat(example.exitCode(Duration.ofSeconds(60)))
                    .as("%s", example.lines())
                    .isZero();
            assertThat(example.lines()).contains("errors: order 3005: TRY_LATER, now NEW");
        }
    }

    @Test
    void main_withoutAServer_saysSo() {
        try (JvmProcess example = JvmProcess.start(RedisLockExample.class, "redis://127.0.0.1:1")) {
            assertThat(example.exitCode(Duration.ofSeconds(60))).isEqualTo(69);
            assertThat(example.lines()).anyMatch(line -> line.contains("cannot reach redis://127.0.0.1:1"));
        }
    }
}
