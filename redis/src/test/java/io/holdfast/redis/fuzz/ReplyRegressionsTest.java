package io.holdfast.redis.fuzz;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.RedisFencingGate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.exceptions.JedisDataException;

/** What a server that answers anything brought to light, and was mended; each test names one. */
class ReplyRegressionsTest {
    private final FakeServer server = new FakeServer();
    private final Holdfast locks =
            Holdfast.builder().uri(server.uri()).commandTimeout(ofSeconds(2)).build();

    @AfterEach
    void close() {
        server.behave(FakeServer.WELL);
        locks.close();
        server.close();
    }

    /** From now on every script is answered so. */
    private void answer(String reply) {
        server.behave((command, good, out) -> out.write(isScript(command) ? ToyRedis.bytes(reply) : good));
    }

    private static boolean isScript(List<String> command) {
        return command.get(0).startsWith("EVAL");
    }

    /** A code that is 1 in its lower 32 bits was taken for a grant. */
    @Test
    void codeBeyond32Bits_isNoGrant() {
        answer("*3\r\n:4294967297\r\n:1800000000000000\r\n:77\r\n");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(locks.lock("x")::tryLock)
                .withMessageContaining("no answer to what it was asked");
    }

    /** Every code but 0 was taken for a renewal. Seed 245 of the fuzzer. */
    @Test
    void unknownCode_isNoRenewal() {
        Lease lease = locks.lock("x").tryAcquire().orElseThrow();
        // How many were renewed; then of each of the others which it is, and why.
        for (List<Long> reply : List.of(
                List.of(3L),
                List.of(0L),
                List.of(-1L),
                List.of(4294967297L),
                List.of(0L, 1L),
                List.of(0L, 1L, 1L),
                List.of(0L, 1L, 3L),
                List.of(0L, 1L, 4294967296L),
                List.of(0L, 0L, 0L),
                List.of(0L, 2L, 0L),
                List.of(1L, 1L, 0L),
                List.of(1L, 0L, 0L, 0L),
                List.of(-1L, 1L, 0L, 1L, 0L))) {
            StringBuilder text = new StringBuilder("*" + reply.size() + "\r\n");
            reply.forEach(number -> text.append(':').append(number).append("\r\n"));
            answer(text.toString());
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .as("%s", reply)
                    .isThrownBy(() -> lease.extend(ofHours(1)));
            assertThat(lease.remaining()).isLessThan(ofSeconds(31));
        }
    }

    /** An empty list made extend() fail with an IndexOutOfBoundsException. */
    @Test
    void renewalWithoutAnswer_isAFailureOfTheStore() {
        Lease lease = locks.lock("x").tryAcquire().orElseThrow();
        answer("*0\r\n");
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> lease.extend(ofSeconds(60)));
        assertThat(lease.isValid()).isTrue();
    }

    /** A server that always had more dead tickets to clear was asked for ever. */
    @Test
    void askAgainForEver_endsWithTheTimeOut() {
        answer("*2\r\n:7\r\n:1800000000000000\r\n");
        assertThatExceptionOfType(LockException.class).isThrownBy(locks.lock("x")::tryLock);
    }

    /** A scan whose cursor came round again never ended. */
    @Test
    void scanThatComesRound_ends() {
        server.behave((command, good, out) ->
                out.write(command.get(0).equals("SCAN") ? ToyRedis.bytes("*2\r\n$1\r\n7\r\n*0\r\n") : good));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> locks.inspect("*"));
    }

    /** An answer without the eviction policy counted as a good one. */
    @Test
    void healthWithoutAPolicy_saysSo() {
        server.behave(
                (command, good, out) -> out.write(command.get(0).equals("INFO") ? ToyRedis.bytes("+hm\r\n") : good));
        assertThat(locks.health().warnings()).singleElement().asString().contains("cannot be read");
    }

    /** The gate let a ClassCastException out. */
    @Test
    void gateThatIsAnsweredNonsense_failsAsJedisDoes() {
        answer("*0\r\n");
        try (JedisPooled jedis = new JedisPooled(server.uri())) {
            RedisFencingGate gate = RedisFencingGate.on(jedis, "prefix:");
            assertThatExceptionOfType(JedisDataException.class).isThrownBy(() -> gate.admit("x", 1));
        }
    }
}
