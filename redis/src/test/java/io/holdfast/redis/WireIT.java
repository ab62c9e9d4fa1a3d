package io.holdfast.redis;

import static io.holdfast.redis.Callers.echo;
import static io.holdfast.redis.Callers.text;
import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

/** What goes out together, one fault at a time. A request that the proxy holds keeps the wire taken while others queue. */
class WireIT {
    private static final Duration SOON = ofSeconds(15);
    private static final Duration LONG = ofSeconds(20);

    private final RedisServer redis = SharedRedis.empty();
    private final Platform platform = Platform.system();
    private TcpProxy proxy;
    private CountingSource written;
    private Wire wire;
    private Callers callers;

    @BeforeEach
    void connect() {
        proxy = TcpProxy.to(redis.port());
        written = new CountingSource(RedisUri.parse(new StoreUri(uri())));
        wire = new Wire(written, platform);
        callers = new Callers(wire);
    }

    private String uri() {
        return "redis://127.0.0.1:" + proxy.port();
    }

    @AfterEach
    void close() {
        proxy.restore();
        proxy.close();
        wire.close();
        platform.close();
    }

    /** The wire is connected, and taken from now on until the gate is opened. */
    private Taken take() {
        assertThat(text(wire.call(LONG, echo("before")))).isEqualTo("before");
        HeldRequest gate = proxy.holdNextRequestContaining("gate");
        Callers.Caller first = callers.start(echo("gate"));
        gate.awaitSprung(SOON);
        return new Taken(gate, first);
    }

    private record Taken(HeldRequest gate, Callers.Caller first) {
        void open() {
            gate.release();
            assertThat(first.text()).isEqualTo("gate");
        }
    }

    private List<Callers.Caller> queue(int count) {
        List<Callers.Caller> queued = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            queued.add(callers.queue("call-" + i + "."));
        }
        return queued;
    }

    private static void assertOwnReplies(List<Callers.Caller> queued) {
        for (int i = 1; i <= queued.size(); i++) {
            assertThat(queued.get(i - 1).text()).isEqualTo("call-" + i + ".");
        }
    }

    private void assertWorks() {
        assertThat(text(wire.call(LONG, echo("after")))).isEqualTo("after");
    }

    @Test
    void thoseWhoWait_areSentInOneWrite() {
        Taken taken = take();
        List<Callers.Caller> queued = queue(40);
        long before = written.writes();
        taken.open();
        assertOwnReplies(queued);
        assertThat(written.writes() - before).isEqualTo(1);
    }

    @Test
    void moreThanABatch_areSentInSeveral() {
        Taken taken = take();
        List<Callers.Caller> queued = queue(Wire.LARGEST_BATCH + 1);
        long before = written.writes();
        taken.open();
        assertOwnReplies(queued);
        assertThat(written.writes() - before).isEqualTo(2);
    }

    @Test
    @Faults({14, 15})
    void breakInTheMiddle_leavesTheAnsweredAloneAndRepeatsTheRest() {
        Taken taken = take();
        List<Callers.Caller> queued = queue(10);
        proxy.dropConnectionAfterNextRequestContaining("call-4.");
        taken.open();
        assertOwnReplies(queued);
        for (int i = 0; i < queued.size(); i++) {
            assertThat(queued.get(i).answer().repeated()).as("call %s", i + 1).isEqualTo(i >= 3);
            assertThat(queued.get(i).answer().sameServer()).as("call %s", i + 1).isEqualTo(i >= 3);
        }
        assertThat(proxy.connectionsAccepted()).isEqualTo(2);
    }

    /** A server that accepts and breaks is not asked for ever. */
    @Test
    @Faults(22)
    void breakOfANewConnection_failsThoseWithoutAnAnswer() {
        HeldRequest greeting = proxy.holdNextRequestContaining("INFO");
        Callers.Caller first = callers.start(echo("first"));
        greeting.awaitSprung(SOON);
        List<Callers.Caller> queued = queue(4);
        proxy.dropConnectionAfterNextRequestContaining("call-3.");
        greeting.release();
        assertThat(first.text()).isEqualTo("first");
        assertOwnReplies(queued.subList(0, 2));
        for (Callers.Caller failed : queued.subList(2, 4)) {
            assertThat(failed.failure()).isInstanceOf(StoreFailure.class).hasMessageContaining("cannot reach " + uri());
        }
        assertWorks();
    }

    @Test
    @Faults(20)
    void callerWhoseTimeIsOver_leavesTheOthersTheirReplies() {
        Taken taken = take();
        Callers.Caller leader = callers.queue("leader");
        Callers.Caller hasty = callers.queue(ofSeconds(3), echo("hasty"));
        Callers.Caller patient = callers.queue("patient");
        HeldRequest batch = proxy.holdNextRequestContaining("leader");
        taken.open();
        batch.awaitSprung(SOON);
        assertThat(hasty.failure())
                .isInstanceOf(StoreFailure.class)
                .hasMessage(uri() + " did not answer within 3000 ms");
        batch.release();
        assertThat(leader.text()).isEqualTo("leader");
        assertThat(patient.text()).isEqualTo("patient");
        assertWorks();
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    @Test
    @Faults(21)
    void callerWhoseTimeIsOverInTheQueue_isNeverSent() {
        Taken taken = take();
        Callers.Caller hasty = callers.queue(ofMillis(300), Request.of(Protocol.Command.INCR, "n".getBytes(UTF_8)));
        Callers.Caller patient = callers.queue("patient");
        assertThat(hasty.failure())
                .isInstanceOf(StoreFailure.class)
                .hasMessage(uri() + " did not answer others for 300 ms, so this command was not sent");
        taken.open();
        assertThat(patient.text()).isEqualTo("patient");
        assertThat(redis.command("GET", "n")).isNull();
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    /** The leader has to go in time, and can do so only by cutting the connection; the others have time left. */
    @Test
    @Faults({20, 21})
    void leaderWhoseTimeIsOver_isNotTheEndOfTheOthers() {
        Taken taken = take();
        Callers.Caller hasty = callers.queue(ofSeconds(3), echo("hasty"));
        Callers.Caller patient = callers.queue("patient");
        HeldRequest batch = proxy.holdNextRequestContaining("hasty");
        taken.open();
        batch.awaitSprung(SOON);
        assertThat(hasty.failure())
                .isInstanceOf(StoreFailure.class)
                .hasMessage(uri() + " did not answer within 3000 ms");
        assertThat(patient.text()).isEqualTo("patient");
        assertThat(patient.answer().repeated()).isTrue();
        assertThat(proxy.connectionsAccepted()).isEqualTo(2);
    }

    /** Its engine has been told of a failure and undoes it: nothing may be sent after that. */
    @Test
    @Faults(16)
    void callerWhoHasGivenUp_isNotSentAgainAfterABreak() {
        Taken taken = take();
        Callers.Caller leader = callers.queue("leader");
        Callers.Caller hasty = callers.queue(ofSeconds(3), Request.of(Protocol.Command.INCR, "n".getBytes(UTF_8)));
        Callers.Caller patient = callers.queue("patient");
        HeldRequest batch = proxy.holdNextRequestContaining("leader");
        taken.open();
        batch.awaitSprung(SOON);
        assertThat(hasty.failure()).hasMessageContaining("did not answer within");
        proxy.dropConnections();
        assertThat(leader.text()).isEqualTo("leader");
        assertThat(patient.text()).isEqualTo("patient");
        assertThat(redis.command("GET", "n")).isNull();
    }

    /** Whoever has the turn when the gate opens sends the others on its way out. */
    @Test
    @Faults(20)
    void errorOfTheLeader_failsAllThatIsSentAndShiftsNoReply() {
        Taken taken = take();
        Callers.Caller one = callers.queue("one");
        Callers.Caller poison = callers.queue(Request.of(() -> {
            throw new StackOverflowError("planted");
        }));
        Callers.Caller other = callers.queue("other");
        taken.gate().release();
        assertThat(taken.first().failure()).isInstanceOf(StackOverflowError.class);
        for (Callers.Caller failed : List.of(one, poison, other)) {
            assertThat(failed.failure()).isInstanceOf(StoreFailure.class).hasMessageContaining("died of an error");
        }
        assertWorks();
        assertThat(proxy.connectionsAccepted()).isEqualTo(2);
    }

    /** The next command goes out before the last reply is handed out, and is read by whoever leads next. */
    @Test
    void leaderThatGoes_leavesWhatItHasSentToTheNext() {
        Taken taken = take();
        Callers.Caller next = callers.queue("next");
        HeldRequest sent = proxy.holdNextRequestContaining("next");
        taken.open();
        sent.awaitSprung(SOON);
        // It leads, if it comes before the other wakes.
        Callers.Caller late = callers.start(Callers.echo("late"));
        assertThat(next.outcome()).isNotDone();
        sent.release();
        assertThat(next.text()).isEqualTo("next");
        assertThat(late.text()).isEqualTo("late");
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    @Test
    @Faults({14, 15})
    void breakOfWhatAnotherHasSent_isRepeated() {
        Taken taken = take();
        Callers.Caller sender = callers.queue("sender");
        Callers.Caller patient = callers.queue("patient");
        HeldRequest sent = proxy.holdNextRequestContaining("sender");
        taken.open();
        sent.awaitSprung(SOON);
        proxy.dropConnections();
        for (Callers.Caller again : List.of(sender, patient)) {
            assertThat(again.answer().repeated()).isTrue();
            assertThat(again.answer().sameServer()).isTrue();
        }
        assertThat(sender.text()).isEqualTo("sender");
        assertThat(patient.text()).isEqualTo("patient");
        assertThat(proxy.connectionsAccepted()).isEqualTo(2);
    }

    @Test
    @Faults(35)
    void unknownScripts_areSentByTheirText() {
        redis.command("SCRIPT", "FLUSH");
        byte[] text = "return ARGV[1]".getBytes(UTF_8);
        byte[] sha = "d3f78a9e3c6aa9ba9bd1c17b5a84e3bd8d8e0a67".getBytes(UTF_8);
        Taken taken = take();
        List<Callers.Caller> scripts = new ArrayList<>();
        List<Callers.Caller> echoes = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            scripts.add(callers.queue(Request.byHash(text, sha, bytes("0"), bytes("script-" + i))));
            echoes.add(callers.queue("call-" + i + "."));
        }
        long before = written.writes();
        taken.open();
        assertOwnReplies(echoes);
        for (int i = 1; i <= 5; i++) {
            assertThat(scripts.get(i - 1).text()).isEqualTo("script-" + i);
            assertThat(scripts.get(i - 1).answer().repeated()).isFalse();
        }
        // All of them; half of those by their text; the rest of those.
        assertThat(written.writes() - before).isEqualTo(3);
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    @Test
    @Faults(26)
    void errorReply_failsItsOwnCallOnly() {
        Taken taken = take();
        List<Callers.Caller> queued = queue(2);
        Callers.Caller wrong = callers.queue(Request.of(Protocol.Command.INCR, bytes("a"), bytes("b")));
        Callers.Caller last = callers.queue("last");
        taken.open();
        assertOwnReplies(queued);
        assertThat(wrong.failure()).isInstanceOf(JedisDataException.class).hasMessageContaining("wrong number");
        assertThat(last.text()).isEqualTo("last");
        assertWorks();
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    @Test
    @Faults(26)
    void errorThatWantsAnotherServer_takesANewConnectionAfterTheBatch() {
        Taken taken = take();
        Callers.Caller readOnly = callers.queue(
                Request.of(Protocol.Command.EVAL, bytes("return redis.error_reply('READONLY no')"), bytes("0")));
        Callers.Caller last = callers.queue("last");
        taken.open();
        assertThat(readOnly.failure()).hasMessageContaining("READONLY");
        assertThat(last.text()).isEqualTo("last");
        assertWorks();
        assertThat(proxy.connectionsAccepted()).isEqualTo(2);
    }

    /** Whoever got a reply without sense says so; nobody knows what stands behind it. */
    @Test
    @Faults(26)
    void replyThatMakesNoSense_isFollowedByANewConnection() {
        assertWorks();
        wire.distrust();
        assertWorks();
        assertWorks();
        assertThat(proxy.connectionsAccepted()).isEqualTo(2);
    }

    @Test
    @Faults(46)
    void interrupts_loseNothingAndAreKept() {
        Taken taken = take();
        Callers.Caller waiter = callers.queue("waiter");
        Callers.Caller other = callers.queue("other");
        waiter.thread().interrupt();
        taken.first().thread().interrupt();
        taken.open();
        assertThat(waiter.text()).isEqualTo("waiter");
        assertThat(other.text()).isEqualTo("other");
        assertThat(taken.first().interrupted().join()).isTrue();
        assertThat(waiter.interrupted().join()).isTrue();
        assertThat(other.interrupted().join()).isFalse();
        assertThat(proxy.connectionsAccepted()).isEqualTo(1);
    }

    @Test
    void close_waitsForWhatIsUnderWayAndFailsThoseWhoWait() {
        Taken taken = take();
        List<Callers.Caller> queued = queue(3);
        Thread closing = new Thread(wire::close);
        closing.start();
        until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        taken.open();
        for (Callers.Caller failed : queued) {
            assertThat(failed.failure())
                    .isInstanceOf(StoreFailure.class)
                    .hasMessage("the connection to " + uri() + " is closed");
        }
        until(() -> !closing.isAlive());
        assertThat(callers.start(echo("late")).failure()).hasMessageContaining("is closed");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
