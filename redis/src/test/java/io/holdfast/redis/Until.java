package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for a condition on the calling thread, which is the one that holds the locks. */
public final class Until {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private Until() {}

    /** Returns when the condition holds; fails if that takes 15 s. */
    public static void until(Callable<Boolean> condition) {
        wait(PATIENCE).until(condition);
    }

    /** Returns when the condition holds; fails if that takes longer than told. */
    public static void until(Duration atMost, Callable<Boolean> condition) {
        wait(atMost).until(condition);
    }

    private static ConditionFactory wait(Duration atMost) {
        return Awaitility.await()
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(atMost);
    }
}
