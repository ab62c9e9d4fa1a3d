package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreEvents;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What comes into the inboxes of one client at the servers of a quorum. A release is told by each of them; asking is of use
 * once a majority has let go, so the message that makes up a majority wakes, and a timer does if there are fewer.
 */
final class WakeUps {
    private final Platform platform;
    private final StoreEvents events;
    private final Keys keys;
    private final Quorum quorum;
    private final long patienceNanos;

    // Guarded by this.
    /** By waiter and by who let go: from whom it was heard. */
    private final Map<String, BitSet> heard = new HashMap<>();

    /** Who has confirmed the subscription. */
    private final BitSet subscribed = new BitSet();

    private final List<Object> callers = new ArrayList<>();
    private boolean missed;
    private boolean wakesAll;

    WakeUps(Platform platform, StoreEvents events, Keys keys, Quorum quorum, long patienceNanos) {
        this.platform = platform;
        this.events = events;
        this.keys = keys;
        this.quorum = quorum;
        this.patienceNanos = patienceNanos;
    }

    /** Hears what one server says. */
    RedisLink.Listener from(int node) {
        return new RedisLink.Listener() {
            @Override
            public void subscribed() {
                WakeUps.this.subscribed(node);
            }

            @Override
            public void message(String text, @Nullable String life) {
                String[] parts = text.split(" ", 3);
                if (parts.length == 3 && keys.isLock(parts[2])) {
                    hear(node, keys.name(parts[2]), parts[0], parts[1]);
                }
            }
        };
    }

    /** Whether a majority will tell of a release. */
    synchronized boolean areHeard() {
        return subscribed.cardinality() >= quorum.majority();
    }

    /** Waits until a majority will tell, but not for long. */
    void await(long nanos) {
        Object caller = platform.currentThread();
        long until = platform.nanoTime() + nanos;
        boolean interrupted = false;
        synchronized (this) {
            callers.add(caller);
        }
        for (long left = nanos; left > 0 && !areHeard(); left = until - platform.nanoTime()) {
            platform.park(left);
            interrupted |= platform.interrupted();
        }
        synchronized (this) {
            callers.remove(caller);
            missed |= !areHeard();
        }
        if (interrupted) {
            platform.interrupt(caller);
        }
    }

    /**
     * Whoever came first waits for this. If it takes too long, or is a subscription that was broken, all ask once more; those
     * of several servers come at about the same time, and once is enough.
     */
    private void subscribed(int node) {
        List<Object> waiting;
        synchronized (this) {
            boolean again = subscribed.get(node);
            subscribed.set(node);
            waiting = List.copyOf(callers);
            if (wakesAll || (!again && !missed)) {
                waiting.forEach(platform::unpark);
                return;
            }
            wakesAll = true;
        }
        waiting.forEach(platform::unpark);
        platform.schedule(patienceNanos, () -> {
            synchronized (this) {
                wakesAll = false;
            }
            events.wakeAll();
        });
    }

    private void hear(int node, String name, String owner, String from) {
        String key = owner + " " + from;
        boolean first;
        boolean enough;
        synchronized (this) {
            BitSet nodes = heard.get(key);
            first = nodes == null;
            if (nodes == null) {
                nodes = new BitSet();
                heard.put(key, nodes);
            }
            int before = nodes.cardinality();
            nodes.set(node);
            enough = before < quorum.majority() && nodes.cardinality() == quorum.majority();
        }
        if (enough) {
            events.wake(name, owner);
        }
        if (first) {
            // Of different length for each: several may have heard of the same release, each from a few servers.
            platform.schedule(patienceNanos + platform.random(patienceNanos), () -> {
                if (isUndecided(key)) {
                    events.wake(name, owner);
                }
            });
        }
    }

    private synchronized boolean isUndecided(String key) {
        BitSet nodes = heard.remove(key);
        return nodes != null && nodes.cardinality() < quorum.majority();
    }
}
