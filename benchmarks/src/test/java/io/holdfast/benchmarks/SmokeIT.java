package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Primitive;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.InParallel;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.SharedCounter;
import io.holdfast.benchmarks.workloads.HandOver;
import io.holdfast.benchmarks.workloads.Servers;
import io.holdfast.benchmarks.workloads.SeveralJvms;
import io.holdfast.benchmarks.workloads.Uncontended;
import io.holdfast.benchmarks.workloads.WaitingClients;
import io.holdfast.benchmarks.workloads.Workload;
import io.holdfast.benchmarks.workloads.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Phaser;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts, never times: those are for an idle machine. */
class SmokeIT {
    private static final int CYCLES = 500;

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast", "jedis"})
    void anUncontendedCycle_isTwoRequests(String contender) {
        Map<Metric, Double> measured =
                new Uncontended(false).measure(Contenders.named(contender), servers, Duration.ofSeconds(1));

        // The reading itself and the cycle that is cut off at either end are in it.
        assertThat(measured.get(Metric.REQUESTS)).isCloseTo(2, within(0.1));
        assertThat(measured.get(Metric.LOST_UPDATES)).isZero();
        assertThat(measured.get(Metric.THROUGHPUT)).isPositive();
        assertThat(measured.get(Metric.ALLOCATION)).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "holdfast, 2",
        "jedis, 1",
        "holdfast-fair, 2",
        "holdfast-read, 2",
        "holdfast-write, 2",
        "holdfast-permit, 2"
    })
    void anUncontendedCycle_callsSoManyScripts(String name, int scripts) {
        Contender contender = Contenders.named(name);
        try (Session session = contender.open("127.0.0.1", servers.redis().port())) {
            BenchLock lock = session.lock("counted");
            cycle(lock); // loads what is loaded once
            long before = servers.redis().commandStats().getOrDefault("evalsha", 0L);
            for (int i = 0; i < CYCLES; i++) {
                cycle(lock);
            }
            assertThat(servers.redis().commandStats().getOrDefault("evalsha", 0L) - before)
                    .isEqualTo((long) CYCLES * scripts);
        }
    }

    @Test
    void severalJvms_loseNoUpdate() {
        Map<Metric, Double> measured =
                new SeveralJvms(2, 2, 0).measure(Contenders.named("holdfast"), servers, Duration.ofMillis(300));

        assertThat(measured.get(Metric.LOST_UPDATES)).isZero();
        assertThat(measured.get(Metric.THROUGHPUT)).isPositive();
        assertThat(measured.getOrDefault(Metric.LARGEST_SHARE, 0.0) + measured.getOrDefault(Metric.SMALLEST_SHARE, 0.0))
                .isCloseTo(100, within(0.01));
    }

    /** All but readers: also a semaphore of one permit. */
    static List<String> locks() {
        return Contenders.all().stream()
                .filter(contender -> contender.reach() == Contender.Reach.JVMS)
                .filter(contender -> !contender.primitives().contains(Primitive.READ))
                .map(Contender::name)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("locks")
    void aContender_excludes(String name) {
        Contender contender = Contenders.named(name);
        SharedCounter counter = SharedCounter.inMemory();
        try (Session session = contender.open(Servers.HOST, servers.port(contender))) {
            InParallel.forEach(2, 20, i -> {
                BenchLock lock = session.lock("smoke:" + name, 1);
                lock.lock();
                counter.set(counter.get() + 1);
                lock.unlock();
            });
        }
        assertThat(counter.get()).isEqualTo(20);
    }

    /** Those who are in wait for each other there. */
    @ParameterizedTest
    @ValueSource(strings = {"holdfast-read", "redisson-read", "holdfast-permit", "redisson-permit", "redisson-leased"})
    void whatCanBeShared_isHadByTwoAtOnce(String name) {
        Contender contender = Contenders.named(name);
        SharedCounter counter = SharedCounter.inMemory();
        Phaser both = new Phaser(2);
        try (Session session = contender.open(Servers.HOST, servers.port(contender))) {
            InParallel.forEach(2, 2, i -> {
                BenchLock lock = session.lock("shared:" + name, 2);
                lock.lock();
                counter.enter();
                both.arriveAndAwaitAdvance();
                counter.leave();
                lock.unlock();
            });
        }
        assertThat(counter.mostInside()).isEqualTo(2);
    }

    /** Rivals without contention only: under it, some miss a wake-up and go on after half a minute. */
    static Stream<Arguments> otherPrimitives() {
        Plan plan = new Plan(Workloads.only(List.of("i", "j", "k")), Contenders.all(), 1, Duration.ofMillis(200));
        return plan.steps().stream()
                .filter(step -> step.counts()
                        && (Contenders.isOurs(step.contender().name())
                                || step.workload().name().endsWith("-idle")))
                .map(step ->
                        Arguments.of(step.workload().name(), step.contender().name()));
    }

    @ParameterizedTest
    @MethodSource("otherPrimitives")
    void anotherPrimitive_isMeasured_andLetsNobodyInWhoMustWait(String name, String contender) {
        Workload workload = Workloads.only(List.of(name)).get(0);
        servers.redis().flushAll();

        Map<Metric, Double> measured = workload.measure(Contenders.named(contender), servers, Duration.ofMillis(200));

        assertThat(measured.get(workload.main())).isPositive();
        assertThat(measured.get(Metric.REQUESTS)).isPositive();
        if (measured.containsKey(Metric.MOST_INSIDE)) {
            assertThat(measured.get(Metric.MOST_INSIDE)).isBetween(1.0, 16.0);
        } else {
            assertThat(measured.get(Metric.LOST_UPDATES)).isZero();
        }
    }

    @Test
    void curator_reachesOtherJvms() {
        Map<Metric, Double> measured =
                new SeveralJvms(2, 2, 1).measure(Contenders.named("curator"), servers, Duration.ofMillis(300));

        assertThat(measured.get(Metric.LOST_UPDATES)).isZero();
        assertThat(measured.get(Metric.IDEAL)).isPositive();
        assertThat(measured)
                .containsKeys(Metric.HAND_OVER_P50, Metric.JVM_FAIRNESS)
                .doesNotContainKey(Metric.REQUESTS);
    }

    @Test
    void aHandOver_takesTime() {
        Map<Metric, Double> measured = new HandOver(Duration.ofMillis(5))
                .measure(Contenders.named("holdfast"), servers, Duration.ofMillis(10));

        assertThat(measured.get(Metric.HAND_OVER_P50)).isPositive();
        assertThat(measured.get(Metric.HAND_OVER_P999)).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"holdfast, 2", "redisson, 5"})
    void aRelease_isMeasuredWhileClientsWait(String contender, double commands) {
        Map<Metric, Double> measured =
                new WaitingClients(3, 5).measure(Contenders.named(contender), servers, Duration.ofMillis(1));

        // Those who wait may ask in between.
        assertThat(measured.get(Metric.SENT_PER_RELEASE)).isCloseTo(commands, within(3.0));
        assertThat(measured.get(Metric.BYTES_PER_RELEASE)).isPositive();
        assertThat(measured.get(Metric.SERVER_TIME_PER_RELEASE)).isPositive();
    }

    private static void cycle(BenchLock lock) {
        lock.lock();
        lock.unlock();
    }
}
