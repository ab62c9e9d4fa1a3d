package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.coroutines.Continuation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods with {@link Locked}. */
class LockedIT {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private final Shop shop = app.getBean(Shop.class);
    private final Holdfast locks = app.getBean(Holdfast.class);

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        app = Apps.start(redis, Application.class, "shop.region=eu");
    }

    @AfterAll
    static void stop() {
        app.close();
        redis.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Inner.class})
    static class Application {
        @Bean
        String tenant() {
            return "acme";
        }
    }

    record Order(@Nullable String id) {}

    /** Inside of the method. */
    interface Work {
        void run() throws Exception;
    }

    static class Shop {
        private final Inner inner;

        Shop(Inner inner) {
            this.inner = inner;
        }

        @Locked(name = "${shop.region}:#{@tenant}:order:#{#order.id}", waitFor = "1s")
        public long ship(Order order, @Nullable Lease lease, Work work) throws Exception {
            work.run();
            return lease == null ? -1 : lease.token();
        }

        @Locked(name = "order:1", waitFor = "0")
        public String outer() {
            return inner.again();
        }

        @Locked(name = "catalogue", mode = Locked.Mode.READ)
        public String reading() {
            return inner.writing();
        }

        @Locked(name = "order:1", waitFor = "0", onTimeout = Locked.OnTimeout.SKIP)
        public Optional<String> skipping() {
            return Optional.of("ran");
        }

        @Locked(name = "a", waitFor = "500ms")
        @Locked(name = "b")
        public void both(@Nullable Lease lease, Work work) throws Exception {
            assertThat(lease).isNotNull();
            assertThat(lease.token("a")).isPositive();
            assertThat(lease.token("b")).isPositive();
            work.run();
        }

        @Locked(name = "a")
        public void oneThenBoth() {
            inner.both(null);
        }

        @Locked(name = "permits", permits = 2, waitFor = "0")
        public void permit(Work work) throws Exception {
            work.run();
        }

        @Locked(name = "future")
        public CompletableFuture<String> future(CompletableFuture<String> work) {
            return work;
        }

        @Locked(name = "mono", waitFor = "5s")
        public Mono<String> mono(Mono<String> work) {
            return work.flatMap(value -> inner.nestedMono(value));
        }

        @Locked(name = "flux")
        public Flux<Integer> flux(Flux<Integer> work) {
            return work;
        }

        @Locked(name = "least", atLeast = "600ms", waitFor = "0")
        public void atLeast() {}

        @Locked(name = "most", atMost = "400ms")
        public void atMost(Work work) throws Exception {
            work.run();
        }
    }

    static class Inner {
        @Locked(name = "order:1", waitFor = "0")
        public String again() {
            return "again";
        }

        @Locked(name = "catalogue")
        public String writing() {
            return "written";
        }

        @Locked(name = "a")
        @Locked(name = "b")
        public void both(@Nullable Lease lease) {
            assertThat(lease).isNotNull();
            assertThat(lease.token("a")).isPositive();
            assertThat(lease.token("b")).isPositive();
        }

        @Locked(name = "mono", waitFor = "0")
        public Mono<String> nestedMono(String value) {
            return Mono.just(value + "!");
        }
    }

    private static boolean isLocked(String name) {
        return redis.keys().contains("distributed_lock:" + name);
    }

    @Test
    void theName_isMadeOfArgumentsBeansAndProperties() throws Exception {
        long token = shop.ship(
                new Order("7"),
                null,
                () -> assertThat(isLocked("eu:acme:order:7")).isTrue());
        assertThat(token).isPositive();
        assertThat(isLocked("eu:acme:order:7")).isFalse();
    }

    @Test
    void aNameWithoutAValue_isRefused() {
        assertThatThrownBy(() -> shop.ship(new Order(null), null, () -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#{#order.id} is null");
    }

    @Test
    void aLockThatIsHeldElsewhere_isWaitedForAndThenATimeout() throws Exception {
        try (Lease other = locks.lock("eu:acme:order:8").acquire(Duration.ofSeconds(1))) {
            assertThat(other.isValid()).isTrue();
            assertThatThrownBy(() -> shop.ship(new Order("8"), null, () -> {}))
                    .isInstanceOf(LockTimeoutException.class);
        }
        assertThat(shop.ship(new Order("8"), null, () -> {})).isPositive();
    }

    @Test
    void skip_doesNotRunTheMethod() throws Exception {
        try (Lease other = locks.lock("order:1").acquire(Duration.ofSeconds(1))) {
            assertThat(other.isValid()).isTrue();
            assertThat(shop.skipping()).isEmpty();
        }
        assertThat(shop.skipping()).contains("ran");
    }

    @Test
    void aCallInside_goesOnWithWhatTheThreadHas() {
        assertThat(shop.outer()).isEqualTo("again");
        assertThat(isLocked("order:1")).isFalse();
        shop.oneThenBoth();
        assertThat(isLocked("a") || isLocked("b")).isFalse();
    }

    @Test
    @Faults(55)
    void whoReads_cannotGoOnToWrite() {
        assertThatThrownBy(shop::reading)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("catalogue");
        assertThat(isLocked("catalogue")).isFalse();
    }

    @Test
    @Faults(57)
    void several_areAllOrNone() throws Exception {
        shop.both(null, () -> assertThat(isLocked("a") && isLocked("b")).isTrue());
        try (Lease other = locks.lock("b").acquire(Duration.ofSeconds(1))) {
            assertThat(other.isValid()).isTrue();
            assertThatThrownBy(() -> shop.both(null, () -> {})).isInstanceOf(LockTimeoutException.class);
            // What was taken before the time was over is given back in the background.
            Awaitility.await().until(() -> !isLocked("a"));
        }
    }

    @Test
    void permits_letSoManyIn() throws Exception {
        CountDownLatch in = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        Work work = () -> {
            in.countDown();
            assertThat(go.await(10, TimeUnit.SECONDS)).isTrue();
        };
        Thread first = new Thread(
                () -> assertThat(catchThrowable(() -> shop.permit(work))).isNull());
        Thread second = new Thread(
                () -> assertThat(catchThrowable(() -> shop.permit(work))).isNull());
        first.start();
        second.start();
        try {
            assertThat(in.await(10, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> shop.permit(() -> {})).isInstanceOf(LockTimeoutException.class);
        } finally {
            go.countDown();
            first.join();
            second.join();
        }
        shop.permit(() -> {});
    }

    @Test
    void aFuture_holdsTheLockUntilItHasEnded() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = shop.future(work);
        assertThat(isLocked("future")).isTrue();
        assertThat(app.getBean(ThreadHolds.class).all()).isEmpty();
        work.complete("done");
        assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(isLocked("future")).isFalse();

        CompletableFuture<String> failing = new CompletableFuture<>();
        CompletableFuture<String> failed = shop.future(failing);
        failing.completeExceptionally(new IllegalStateException("mine"));
        assertThatThrownBy(() -> failed.get(5, TimeUnit.SECONDS)).hasRootCauseMessage("mine");
        assertThat(isLocked("future")).isFalse();
    }

    @Test
    void aFutureWhoseLeaseWasLost_fails() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = shop.future(work);
        locks.inspect("future").forEach(found -> redis.command("DEL", "distributed_lock:future"));
        work.complete("done");
        // Nobody has renewed yet: the release finds it gone.
        Throwable failure = catchThrowable(() -> result.get(15, TimeUnit.SECONDS));
        assertThat(failure).hasRootCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aMono_takesTheLockWhenSubscribed_andHoldsItUntilItHasEnded() {
        Mono<String> mono = shop.mono(Mono.fromCallable(() -> isLocked("mono") ? "held" : "free"));
        assertThat(isLocked("mono")).isFalse();
        assertThat(mono.block(Duration.ofSeconds(5))).isEqualTo("held!");
        assertThat(isLocked("mono")).isFalse();
        assertThat(mono.block(Duration.ofSeconds(5))).as("subscribed once more").isEqualTo("held!");
    }

    @Test
    void aMono_thatIsCancelled_givesTheLockBack() {
        var subscription = shop.mono(Mono.never()).subscribe();
        Awaitility.await().until(() -> isLocked("mono"));
        subscription.dispose();
        Awaitility.await().until(() -> !isLocked("mono"));
    }

    @Test
    void aFlux_holdsTheLockUntilItsEnd() {
        AtomicInteger held = new AtomicInteger();
        assertThat(shop.flux(Flux.range(1, 3))
                        .doOnNext(i -> held.addAndGet(isLocked("flux") ? 1 : 0))
                        .collectList()
                        .block(Duration.ofSeconds(5)))
                .containsExactly(1, 2, 3);
        assertThat(held).hasValue(3);
        assertThat(isLocked("flux")).isFalse();
    }

    @Test
    void atLeast_keepsTheLockAfterTheMethod() {
        long before = System.nanoTime();
        shop.atLeast();
        assertThat(isLocked("least")).isTrue();
        Awaitility.await().until(() -> !isLocked("least"));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(590));
    }

    @Test
    void atMost_endsTheHoldAlthoughTheMethodGoesOn() {
        assertThatThrownBy(() -> shop.atMost(
                        () -> Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !isLocked("most"))))
                .isInstanceOf(LeaseLostException.class);
    }

    // --- jobs

    @Configuration(proxyBeanMethods = false)
    @Import(OnlyLocks.class)
    @EnableScheduling
    static class Jobs {
        static final AtomicInteger RUNS = new AtomicInteger();

        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {
        @Scheduled(fixedRate = 20)
        @Locked(name = "job", atLeast = "1h")
        public void run() {
            Jobs.RUNS.incrementAndGet();
        }
    }

    @Test
    void aScheduledJob_runsOnOneInstanceOnly_andTheOthersSkipIt() {
        Jobs.RUNS.set(0);
        try (ConfigurableApplicationContext one = Apps.start(redis, Jobs.class)) {
            Awaitility.await().until(() -> Jobs.RUNS.get() > 0);
            try (ConfigurableApplicationContext two = Apps.start(redis, Jobs.class)) {
                assertThat(one.isActive() && two.isActive()).isTrue();
                // Many rates later; a run that is not skipped would be counted, one that throws would be logged.
                Awaitility.await().during(Duration.ofMillis(300)).until(() -> Jobs.RUNS.get() == 1);
            }
        }
    }

    // --- what cannot work

    static class PrivateMethod {
        @SuppressWarnings("UnusedMethod")
        @Locked(name = "x")
        private void work() {}
    }

    static class FinalMethod {
        @Locked(name = "x")
        public final void work() {}
    }

    static final class FinalClass {
        @Locked(name = "x")
        public void work() {}
    }

    static class StaticMethod {
        @Locked(name = "x")
        public static void work() {}
    }

    static class AsyncMethod {
        @Async
        @Locked(name = "x")
        public void work() {}
    }

    static class UnknownParameter {
        @Locked(name = "x:#{#nobody}")
        public void work(String somebody) {}
    }

    static class NoExpression {
        @Locked(name = "x:#{#p0.}")
        public void work(String somebody) {}
    }

    static class NoDuration {
        @Locked(name = "x", waitFor = "soon")
        public void work() {}
    }

    static class HeldForTooLong {
        @Locked(name = "x", atLeast = "25h")
        public void work() {}
    }

    static class NothingToReturn {
        @Locked(name = "x", onTimeout = Locked.OnTimeout.SKIP)
        public int work() {
            return 1;
        }
    }

    static class PlainFuture {
        @Locked(name = "x")
        public @Nullable Future<String> work() {
            return null;
        }
    }

    static class FlowResult {
        @Locked(name = "x")
        public Flow.@Nullable Publisher<String> work() {
            return null;
        }
    }

    static class OtherFlux {
        @Locked(name = "x")
        public @Nullable ConnectableFlux<String> work() {
            return null;
        }
    }

    static class RxSingle {
        @Locked(name = "x")
        public Single<String> work() {
            return Single.never();
        }
    }

    static class RxCompletable {
        @Locked(name = "x")
        public Completable work() {
            return Completable.never();
        }
    }

    static class WorkForLater {
        @Locked(name = "x")
        public Callable<String> work() {
            return () -> "done";
        }
    }

    static class WebResult {
        @Locked(name = "x")
        public DeferredResult<String> work() {
            return new DeferredResult<>();
        }
    }

    static class WebTask {
        @Locked(name = "x")
        public WebAsyncTask<String> work() {
            return new WebAsyncTask<>(() -> "done");
        }
    }

    static class WebEvents {
        @Locked(name = "x")
        public SseEmitter work() {
            return new SseEmitter();
        }
    }

    static class WebStream {
        @Locked(name = "x")
        public StreamingResponseBody work() {
            return out -> {};
        }
    }

    /** As Kotlin compiles {@code suspend fun work(): String}. */
    static class Suspending {
        @Locked(name = "x")
        public @Nullable Object work(Continuation<? super String> rest) {
            return null;
        }
    }

    static class TwoMinds {
        @Locked(name = "x", onTimeout = Locked.OnTimeout.SKIP)
        @Locked(name = "y", onTimeout = Locked.OnTimeout.THROW)
        public void work() {}
    }

    /** Without all the rest that the class path of the tests would bring, which takes most of the time. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({HoldfastAutoConfiguration.class, LockedAutoConfiguration.class})
    static class OnlyLocks {}

    @ParameterizedTest
    @ValueSource(
            classes = {
                PrivateMethod.class,
                FinalMethod.class,
                FinalClass.class,
                StaticMethod.class,
                AsyncMethod.class,
                UnknownParameter.class,
                NoExpression.class,
                NoDuration.class,
                HeldForTooLong.class,
                NothingToReturn.class,
                PlainFuture.class,
                FlowResult.class,
                OtherFlux.class,
                RxSingle.class,
                RxCompletable.class,
                WorkForLater.class,
                WebResult.class,
                WebTask.class,
                WebEvents.class,
                WebStream.class,
                Suspending.class,
                TwoMinds.class
            })
    void whatCannotWork_isAFailureAtStartUp(Class<?> bean) {
        @SuppressWarnings("resource")
        Throwable failure = catchThrowable(
                () -> new org.springframework.boot.builder.SpringApplicationBuilder(OnlyLocks.class, bean)
                        .web(org.springframework.boot.WebApplicationType.NONE)
                        .properties("spring.main.banner-mode=off", "holdfast.uri=memory:", "logging.level.root=off")
                        .run()
                        .close());
        var analysis = new HoldfastFailureAnalyzer().analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        assertThat(analysis.getDescription()).contains(bean.getSimpleName() + ".work(");
        assertThat(analysis.getAction()).isNotBlank();
    }

    static class Undeclared {
        @Locked(name = "undeclared")
        public Object work(Object result) {
            return result;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({OnlyLocks.class, Undeclared.class})
    static class UndeclaredResults {}

    @Test
    void aResultWhoseEndCannotBeSeen_andThatWasNotDeclared_isRefused() {
        try (ConfigurableApplicationContext other = Apps.start(UndeclaredResults.class, "holdfast.uri=memory:")) {
            Undeclared undeclared = other.getBean(Undeclared.class);
            for (Object result : List.of(Mono.just("late"), Single.just("late"), new FutureTask<>(() -> "late"))) {
                assertThatThrownBy(() -> undeclared.work(result))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Undeclared.work(Object)")
                        .hasMessageContaining("CompletableFuture");
            }
            assertThat(other.getBean(Holdfast.class).inspect("undeclared")).isEmpty();
            assertThat(undeclared.work("done")).isEqualTo("done");
        }
    }
}
