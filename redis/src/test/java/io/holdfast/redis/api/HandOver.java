package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/** One client waits for what another holds. */
final class HandOver {
    private HandOver() {}

    /** Fails unless the waiter is told by its inbox: without it, it would look again after two seconds. */
    static void isTold(RedisServer redis, Holdfast holder, Holdfast waiter) throws Exception {
        isTold(redis, holder, waiter, 1);
    }

    /** The same, if there are so many inboxes in all. A machine that stands still for a while is given three tries. */
    static void isTold(RedisServer redis, Holdfast holder, Holdfast waiter, int inboxes) throws Exception {
        // It asks, subscribes, and asks once more; only then does its pause of two seconds begin.
        Duration best = takes(redis, holder, waiter, inboxes, 2);
        for (int i = 1; i < 3 && best.compareTo(Duration.ofSeconds(1)) >= 0; i++) {
            // It has subscribed.
            best = takes(redis, holder, waiter, inboxes, 1);
        }
        assertThat(best).isLessThan(Duration.ofSeconds(1));
    }

    private static Duration takes(RedisServer redis, Holdfast holder, Holdfast waiter, int inboxes, int asks)
            throws Exception {
        DistributedLock lock = holder.lock("hand-over");
        lock.lock();
        redis.command("CONFIG", "RESETSTAT");
        Future<Long> obtained = Crowd.start(() -> {
            assertThat(waiter.lock("hand-over").tryLock(30, SECONDS)).isTrue();
            long now = System.nanoTime();
            assertThat(waiter.lock("hand-over").unlock()).isTrue();
            return now;
        });
        until(() -> obtained.isDone() || (inboxes(redis) == inboxes && asks(redis) >= asks));

        long released = System.nanoTime();
        assertThat(lock.unlock()).isTrue();

        return Duration.ofNanos(Crowd.get(obtained) - released);
    }

    /** How many clients listen to an inbox. */
    static long inboxes(RedisServer redis) {
        return redis.command("PUBSUB", "CHANNELS", "distributed_lock:~inbox:*") instanceof List<?> channels
                ? channels.size()
                : 0;
    }

    private static long asks(RedisServer redis) {
        return redis.commandStats().getOrDefault("hset", 0L);
    }
}
