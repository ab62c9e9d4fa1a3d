package io.holdfast.memory;

import io.holdfast.spi.LatchStore.State;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Latches in a map, by the same rules as the ones on Redis. */
final class MemoryLatches {
    private static final long TICKET_NANOS = 6_000_000_000L;

    private static final class Latch {
        final String made;
        final int count;
        final long endNanos;
        final Set<String> counted = new HashSet<>();

        Latch(String made, int count, long endNanos) {
            this.made = made;
            this.count = count;
            this.endNanos = endNanos;
        }

        boolean isOver(long now) {
            return endNanos - now <= 0;
        }

        State state() {
            return new State(count - counted.size(), made);
        }
    }

    private record Ticket(StoreContext context, long endNanos) {}

    private final Map<String, Latch> latches = new HashMap<>();
    private final Map<String, Map<String, Ticket>> waiters = new HashMap<>();

    synchronized boolean set(String name, String id, int count, Duration life, StoreContext context) {
        Latch latch = find(name, context);
        if (latch == null) {
            latches.values().removeIf(other -> other.isOver(now(context)));
            latches.put(name, new Latch(id, count, now(context) + life.toNanos()));
            return true;
        }
        return latch.made.equals(id);
    }

    synchronized State countDown(String name, String id, String made, StoreContext context) {
        Latch latch = find(name, context);
        if (latch == null) {
            return State.NONE;
        }
        if (latch.made.equals(made) && !latch.state().isOpen()) {
            latch.counted.add(id);
            if (latch.state().isOpen()) {
                wake(name, context);
            }
        }
        return latch.state();
    }

    synchronized State look(String name, @Nullable String waiter, StoreContext context) {
        Latch latch = find(name, context);
        State state = latch == null ? State.NONE : latch.state();
        if (state.isOpen()) {
            return waiter == null ? state : leave(name, waiter, context);
        }
        if (waiter != null) {
            Map<String, Ticket> tickets = waiters.computeIfAbsent(name, any -> new LinkedHashMap<>());
            tickets.values().removeIf(ticket -> ticket.endNanos() - now(context) <= 0);
            tickets.put(waiter, new Ticket(context, now(context) + TICKET_NANOS));
        }
        return state;
    }

    synchronized State leave(String name, String waiter, StoreContext context) {
        Map<String, Ticket> tickets = waiters.get(name);
        if (tickets != null) {
            tickets.remove(waiter);
            if (tickets.isEmpty()) {
                waiters.remove(name);
            }
        }
        Latch latch = find(name, context);
        return latch == null ? State.NONE : latch.state();
    }

    synchronized State clear(String name, String made, StoreContext context) {
        Latch latch = find(name, context);
        if (latch == null) {
            return State.NONE;
        }
        if (latch.made.equals(made)) {
            latches.remove(name);
            wake(name, context);
        }
        return latch.state();
    }

    private void wake(String name, StoreContext context) {
        Map<String, Ticket> tickets = waiters.remove(name);
        if (tickets != null) {
            tickets.forEach((waiter, ticket) -> {
                if (ticket.endNanos() - now(context) > 0) {
                    ticket.context()
                            .platform()
                            .callbacks()
                            .execute(() -> ticket.context().events().wake(name, waiter));
                }
            });
        }
    }

    /** The latch of that name whose life is not over. */
    private @Nullable Latch find(String name, StoreContext context) {
        Latch latch = latches.get(name);
        return latch == null || latch.isOver(now(context)) ? null : latch;
    }

    private static long now(StoreContext context) {
        return context.platform().nanoTime();
    }
}
