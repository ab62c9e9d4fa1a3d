package io.holdfast.redis;

import static io.holdfast.redis.Callers.echo;
import static io.holdfast.redis.Callers.text;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever leads on a connection tells those whose answer leaves them nothing to do but to wait, and wakes all others. */
class WireSleepersIT {
    private final RedisServer redis = SharedRedis.empty();
    private final Platform platform = Platform.system();
    private TcpProxy proxy;
    private Wire wire;
    private Callers callers;

    @BeforeEach
    void connect() {
        proxy = TcpProxy.to(redis.port());
        wire = new Wire(source(), platform);
        callers = new Callers(wire);
    }

    @AfterEach
    void close() {
        proxy.restore();
        proxy.close();
        wire.close();
        platform.close();
    }

    /** A caller behind one who leads, for whom a certain answer is a quiet one. */
    private record Sleeper(
            Thread thread,
            CompletableFuture<RedisLink.Answer> told,
            AtomicReference<Thread> toldBy,
            CompletableFuture<RedisLink.Answer> returned) {}

    private Sleeper sleeper(String says, String quiet) {
        CompletableFuture<RedisLink.Answer> told = new CompletableFuture<>();
        AtomicReference<Thread> toldBy = new AtomicReference<>();
        told.thenRun(() -> toldBy.set(Thread.currentThread()));
        CompletableFuture<RedisLink.Answer> returned = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                returned.complete(wire.call(
                        ofSeconds(20), echo(says), new Call.Sleeper(value -> quiet.equals(Reply.text(value)), told)));
            } catch (RuntimeException e) {
                returned.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return new Sleeper(thread, told, toldBy, returned);
    }

    /** From now on nobody looks by itself whether it can lead: whoever is woken for that does, however busy the machine is. */
    private void nobodyLooksByItself() {
        Platform patient = (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (self, method, args) -> {
                    if (method.getName().equals("park")) {
                        platform.park(ofSeconds(20).toNanos());
                        return null;
                    }
                    try {
                        return method.invoke(platform, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        wire.close();
        wire = new Wire(source(), patient);
        callers = new Callers(wire);
    }

    private ConnectionSource source() {
        return new CountingSource(RedisUri.parse(new StoreUri("redis://127.0.0.1:" + proxy.port())));
    }

    private HeldRequest takeWire() {
        assertThat(text(wire.call(ofSeconds(20), echo("before")))).isEqualTo("before");
        HeldRequest gate = proxy.holdNextRequestContaining("gate");
        callers.start(echo("gate"));
        gate.awaitSprung(ofSeconds(15));
        return gate;
    }

    @Test
    @Faults(44)
    void quietAnswer_isToldByAnother_andItsCallerReturnsWithItOnceItIsUnparked() throws Exception {
        nobodyLooksByItself();
        HeldRequest gate = takeWire();
        Callers.Caller leader = callers.queue("leader");
        Sleeper quiet = sleeper("wait", "wait");

        gate.release();

        assertThat(text(quiet.told().get(15, TimeUnit.SECONDS))).isEqualTo("wait");
        assertThat(quiet.toldBy().get()).isNotSameAs(quiet.thread());
        assertThat(leader.text()).isEqualTo("leader");
        LockSupport.unpark(quiet.thread());
        assertThat(text(quiet.returned().get(15, TimeUnit.SECONDS))).isEqualTo("wait");
        assertThat(text(wire.call(ofSeconds(20), echo("after")))).isEqualTo("after");
    }

    @Test
    void otherAnswer_wakesItsCaller_andIsToldByNobodyElse() throws Exception {
        HeldRequest gate = takeWire();
        callers.queue("leader");
        Sleeper other = sleeper("go", "wait");

        gate.release();

        assertThat(text(other.returned().get(15, TimeUnit.SECONDS))).isEqualTo("go");
        assertThat(other.told()).isNotDone();
    }

    /** A leader that dies of an Error tells nobody. */
    @Test
    void quietAnswer_thatItsCallerIsNeverUnparkedFor_returnsAfterAMoment() throws Exception {
        HeldRequest gate = takeWire();
        callers.queue("leader");
        Sleeper quiet = sleeper("wait", "wait");

        gate.release();

        assertThat(text(quiet.returned().get(15, TimeUnit.SECONDS))).isEqualTo("wait");
    }
}
