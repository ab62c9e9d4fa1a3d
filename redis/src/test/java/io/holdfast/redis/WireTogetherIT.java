package io.holdfast.redis;

import static io.holdfast.redis.Callers.echo;
import static io.holdfast.redis.Callers.text;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those who want to stand in line for one lock at the same time do so by one command. */
class WireTogetherIT {
    private static final Keys KEYS = new Keys("distributed_lock:");

    private final RedisServer redis = SharedRedis.empty();
    private final Scripts scripts = new Scripts(redis);
    private final Platform platform = Platform.system();
    private TcpProxy proxy;
    private Wire wire;
    private Callers callers;

    @BeforeEach
    void connect() {
        proxy = TcpProxy.to(redis.port());
        wire = new Wire(
                new CountingSource(RedisUri.parse(new StoreUri("redis://127.0.0.1:" + proxy.port()))), platform);
        callers = new Callers(wire);
    }

    @AfterEach
    void close() {
        proxy.restore();
        proxy.close();
        wire.close();
        platform.close();
    }

    private static Request acquire(String name, String owner) {
        List<String> keys = List.of(KEYS.lock(name), KEYS.queue(name), KEYS.tickets(name), Scripts.FENCE);
        List<String> args = List.of("A", owner, "30000", Scripts.NO_HURRY, "6000", "2000", "0");
        return Request.byHash(Script.LOCK.text(), JedisLink.arguments(Script.LOCK.sha(), keys, args));
    }

    private HeldRequest takeWire() {
        assertThat(text(wire.call(ofSeconds(20), echo("before")))).isEqualTo("before");
        HeldRequest gate = proxy.holdNextRequestContaining("gate");
        callers.start(echo("gate"));
        gate.awaitSprung(ofSeconds(15));
        return gate;
    }

    private List<Callers.Caller> queue(String name, int from, int to) {
        List<Callers.Caller> queued = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            queued.add(callers.queue(acquire(name, "c2:" + i + ":y")));
        }
        return queued;
    }

    private static Scripts.Reply reply(Callers.Caller caller) {
        RedisLink.Answer answer = caller.answer();
        if (!(answer.value() instanceof List<?> list)) {
            return Scripts.reply(Reply.text(answer.value()));
        }
        List<?> parts = list.stream()
                .map(part -> part instanceof byte[] ? Reply.text(part) : part)
                .toList();
        return Scripts.reply(parts);
    }

    private long runs() {
        Object stats = redis.command("INFO", "commandstats");
        return String.valueOf(stats)
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:") || line.startsWith("cmdstat_eval:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    private static List<String> owners(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> "c2:" + i + ":y").toList();
    }

    @Test
    void thoseForTheSameLock_areSentAsOne_andEachHasItsOwnReply() {
        scripts.attempt("a", "c1:1:x", 30_000);
        scripts.attempt("b", "c1:2:x", 30_000);
        wire.call(ofSeconds(20), acquire("b", "c2:0:y"));
        HeldRequest gate = takeWire();
        List<Callers.Caller> first = queue("a", 1, 5);
        Callers.Caller between = callers.queue("between");
        List<Callers.Caller> second = queue("a", 6, 8);
        List<Callers.Caller> other = queue("b", 9, 10);
        long before = runs();

        gate.release();

        for (int i = 0; i < 5; i++) {
            assertThat(reply(first.get(i)).numbers().get(4)).as("place").isEqualTo(i);
        }
        assertThat(between.text()).isEqualTo("between");
        assertThat(second).extracting(caller -> reply(caller).numbers().get(4)).containsExactly(5L, 6L, 7L);
        assertThat(other).extracting(caller -> reply(caller).before()).containsExactly("c2:0:y", "c2:9:y");
        assertThat(scripts.queued("a")).isEqualTo(owners(1, 8));
        assertThat(runs() - before).isEqualTo(3);
    }

    private static Request acquirePermit(String name, String owner, String of) {
        List<String> keys =
                List.of(KEYS.lock(name), KEYS.queue(name), KEYS.tickets(name), KEYS.fence(), KEYS.holds(name));
        List<String> args = List.of("A", owner, "30000", Scripts.NO_HURRY, "6000", "2000", "0", "", "p", "1", of);
        return Request.byHash(Script.LOCK.text(), JedisLink.arguments(Script.LOCK.sha(), keys, args));
    }

    private List<Callers.Caller> queuePermits(String name, int from, int to, String of) {
        List<Callers.Caller> queued = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            queued.add(callers.queue(acquirePermit(name, "c2:" + i + ":y", of)));
        }
        return queued;
    }

    @Test
    void thoseForPermitsOfTheSameSemaphore_areSentAsOne_andEachHasItsOwnReply() {
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 1);
        wire.call(ofSeconds(20), acquirePermit("a", "c2:0:y", "1"));
        HeldRequest gate = takeWire();
        List<Callers.Caller> queued = queuePermits("a", 1, 5, "1");
        Callers.Caller other = callers.queue(acquirePermit("a", "c2:6:y", "2"));
        long before = runs();

        gate.release();

        assertThat(queued).extracting(caller -> reply(caller).numbers().get(4)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(queued)
                .extracting(caller -> reply(caller).before())
                .containsExactly("c2:0:y", "c2:1:y", "c2:2:y", "c2:3:y", "c2:4:y");
        assertThat(reply(other).code()).as("means another number").isEqualTo(8);
        assertThat(scripts.queued("a")).isEqualTo(owners(0, 5));
        assertThat(runs() - before).isEqualTo(2);
    }

    /** Who frees the lock meanwhile leaves nobody standing: each asks by itself, and the first has it. */
    @Test
    void whatCannotBeDoneForAll_isDoneForEach() {
        HeldRequest gate = takeWire();
        List<Callers.Caller> queued = queue("a", 1, 3);

        gate.release();

        assertThat(queued).extracting(caller -> reply(caller).code()).containsExactly(1L, 2L, 2L);
        assertThat(scripts.queued("a")).isEqualTo(owners(2, 3));
        assertThat(queued).noneMatch(caller -> caller.answer().repeated());
    }

    @Test
    void whatCannotBeDoneForAllPermits_isDoneForEach() {
        HeldRequest gate = takeWire();
        List<Callers.Caller> queued = queuePermits("a", 1, 4, "2");

        gate.release();

        assertThat(queued).extracting(caller -> reply(caller).code()).containsExactly(1L, 1L, 2L, 2L);
        assertThat(scripts.queued("a")).isEqualTo(owners(3, 4));
        assertThat(queued).noneMatch(caller -> caller.answer().repeated());
    }

    @Test
    @Faults(35)
    void ifTheServerDoesNotKnowTheScript_eachIsSentByItsText() {
        scripts.attempt("a", "c1:1:x", 30_000);
        redis.command("SCRIPT", "FLUSH");
        HeldRequest gate = takeWire();
        List<Callers.Caller> queued = queue("a", 1, 4);

        gate.release();

        assertThat(queued).extracting(caller -> reply(caller).code()).containsOnly(2L);
        assertThat(scripts.queued("a")).isEqualTo(owners(1, 4));
    }

    @Test
    @Faults({14, 15})
    void ifTheConnectionBreaks_allOfThemAreSentAgain() {
        scripts.attempt("a", "c1:1:x", 30_000);
        wire.call(ofSeconds(20), acquire("a", "c2:1:y"));
        HeldRequest gate = takeWire();
        List<Callers.Caller> queued = queue("a", 2, 5);
        proxy.dropConnectionAfterNextRequestContaining("c2:4:y");

        gate.release();

        assertThat(queued).extracting(caller -> reply(caller).numbers().get(4)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(queued).allMatch(caller -> caller.answer().repeated());
        assertThat(scripts.queued("a")).isEqualTo(owners(1, 5));
    }

    @Test
    @Faults(26)
    void anError_failsAllOfThem() {
        scripts.attempt("a", "c1:1:x", 30_000);
        redis.command("SET", KEYS.queue("a"), "no queue");
        HeldRequest gate = takeWire();
        List<Callers.Caller> queued = queue("a", 1, 3);

        gate.release();

        for (Callers.Caller failed : queued) {
            assertThat(failed.failure()).hasMessageContaining("WRONGTYPE");
        }
        assertThat(text(wire.call(ofSeconds(20), echo("after")))).isEqualTo("after");
    }
}
