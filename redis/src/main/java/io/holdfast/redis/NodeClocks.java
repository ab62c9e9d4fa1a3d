package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionException;

/** What the clocks of several nodes show. Not thread safe. */
final class NodeClocks {
    private static final long MOST_MILLIS = 500;

    /** By how much a clock is ahead of ours, at least and at most: the answer was on its way for some time. */
    private record Lead(String node, long atLeast, long atMost) {}

    private final Platform platform;
    private final List<Lead> leads = new ArrayList<>();

    NodeClocks(Platform platform) {
        this.platform = platform;
    }

    /** Asks a node; one that does not answer is left out. */
    void read(String node, RedisLink link, Duration timeout) {
        try {
            long before = platform.wallMillis();
            Reply time = new Reply(
                    link, link.command(timeout, "TIME").toCompletableFuture().join());
            long after = platform.wallMillis();
            add(node, 1_000 * time.part(0).count() + time.part(1).count() / 1_000, before, after);
        } catch (CompletionException | StoreFailure e) {
            // What kept it from answering has been found before, or will be at the next time.
        }
    }

    void add(String node, long millis, long before, long after) {
        leads.add(new Lead(node, millis - after, millis - before));
    }

    /** The two that differ most, if that is too much. */
    List<String> differences() {
        if (leads.isEmpty()) {
            return List.of();
        }
        Lead fast = leads.stream().max(Comparator.comparingLong(Lead::atLeast)).orElseThrow();
        Lead slow = leads.stream().min(Comparator.comparingLong(Lead::atMost)).orElseThrow();
        long difference = fast.atLeast() - slow.atMost();
        return difference <= MOST_MILLIS
                ? List.of()
                : List.of("the clock of " + fast.node() + " is " + difference + " ms ahead of that of " + slow.node()
                        + ": a lock whose slot moves between them is free that much too early or too late; have a time"
                        + " service set the clocks of all nodes");
    }
}
