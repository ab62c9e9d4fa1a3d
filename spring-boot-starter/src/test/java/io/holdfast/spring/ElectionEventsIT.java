package io.holdfast.spring;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

/** Whoever was told that it leads is told when it does no more, whatever its listeners do. */
class ElectionEventsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @SuppressWarnings("NullAway.Init")
    private RedisServer redis;

    @BeforeEach
    void start() {
        redis = RedisServer.start();
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private ConfigurableApplicationContext candidate(Class<?> application) {
        return Apps.start(redis, application, "holdfast.election.names=scheduler");
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
    }

    /** Notes what it hears. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final CompletableFuture<Void> elected = new CompletableFuture<>();

        @EventListener
        @Order(1)
        void elected(ElectedEvent event) {
            heard.add("elected");
            elected.complete(null);
        }

        @EventListener
        @Order(1)
        void deposed(DeposedEvent event) {
            heard.add(event.lost() ? "lost" : "resigned");
        }
    }

    // ---- listeners that fail

    static class Failing extends Plain {
        @EventListener
        @Order(2)
        void fails(ElectedEvent event) {
            throw new IllegalStateException("planted");
        }
    }

    @Test
    void listenerThatFails_isFollowedByADeposition() {
        try (ConfigurableApplicationContext app = candidate(Failing.class)) {
            List<String> heard = app.getBean(Plain.class).heard;
            Awaitility.await().atMost(PATIENCE).until(() -> heard.size() >= 3);
            assertThat(heard.subList(0, 3)).containsExactly("elected", "resigned", "elected");
        }
    }

    /** As it is often done: the exception goes on, and the interrupt is set again. */
    static class FailingByInterrupt extends Plain {
        volatile boolean interrupted;

        @EventListener
        @Order(2)
        void fails(ElectedEvent event) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @EventListener
        @Order(2)
        void stops(DeposedEvent event) {
            interrupted |= Thread.currentThread().isInterrupted();
        }
    }

    @Test
    void interruptOfTheElected_isNotPassedOnToTheDeposed() throws Exception {
        FailingByInterrupt listener;
        try (ConfigurableApplicationContext app = candidate(FailingByInterrupt.class)) {
            listener = app.getBean(FailingByInterrupt.class);
            listener.elected.get(PATIENCE.toSeconds(), SECONDS);
        }
        assertThat(listener.heard).containsExactly("elected", "resigned");
        assertThat(listener.interrupted).isFalse();
    }

    // ---- listeners that swallow the interrupt

    static class Swallowing extends Plain {
        @EventListener
        @Order(2)
        void swallows(ElectedEvent event) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                heard.add("swallowed");
            }
        }
    }

    @Test
    void interruptThatIsSwallowed_deposesAllTheSame() throws Exception {
        Plain listener;
        try (ConfigurableApplicationContext app = candidate(Swallowing.class)) {
            listener = app.getBean(Plain.class);
            listener.elected.get(PATIENCE.toSeconds(), SECONDS);
            List<String> heard = listener.heard;
            redis.command("DEL", "distributed_lock:scheduler");
            Awaitility.await().atMost(PATIENCE).until(() -> heard.size() >= 4);
            assertThat(heard).containsExactly("elected", "swallowed", "lost", "elected");
        }
        assertThat(listener.heard).endsWith("elected", "swallowed", "resigned");
    }

    // ---- the end of an application

    static class Slow extends Plain {
        final CountDownLatch stopping = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @EventListener
        @Order(2)
        void stops(DeposedEvent event) throws InterruptedException {
            stopping.countDown();
            ElectionEventsIT.await(mayEnd);
            heard.add("stopped");
        }
    }

    @Test
    void applicationThatEnds_leadsUntilItsListenersHaveStopped() throws Exception {
        try (ConfigurableApplicationContext ending = candidate(Slow.class)) {
            Slow slow = ending.getBean(Slow.class);
            slow.elected.get(PATIENCE.toSeconds(), SECONDS);
            try (ConfigurableApplicationContext next = candidate(Plain.class)) {
                CompletableFuture<Void> follows = next.getBean(Plain.class).elected;
                CompletableFuture<Void> closed = CompletableFuture.runAsync(ending::close);
                await(slow.stopping);
                assertThatThrownBy(() -> follows.get(1, SECONDS)).isInstanceOf(TimeoutException.class);
                assertThat(closed).isNotDone();

                slow.mayEnd.countDown();

                follows.get(PATIENCE.toSeconds(), SECONDS);
                closed.get(PATIENCE.toSeconds(), SECONDS);
                assertThat(slow.heard).containsExactly("elected", "resigned", "stopped");
            }
        }
    }

    /** One that is stopped may be started again. */
    @Test
    void applicationThatIsStopped_standsAgainWhenItIsStarted() {
        try (ConfigurableApplicationContext app = candidate(Plain.class)) {
            List<String> heard = app.getBean(Plain.class).heard;
            Awaitility.await().atMost(PATIENCE).until(() -> heard.size() == 1);
            app.stop();
            assertThat(heard).containsExactly("elected", "resigned");
            app.start();
            Awaitility.await().atMost(PATIENCE).until(() -> heard.size() == 3);
            assertThat(heard).endsWith("elected");
        }
    }
}
