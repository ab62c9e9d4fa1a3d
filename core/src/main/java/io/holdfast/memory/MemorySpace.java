package io.holdfast.memory;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a map, by the same rules as the ones on Redis: a hold ends at its expiry, waiters leave tickets that live
 * while they re-check, and whoever frees a lock hands it to the first live ticket.
 */
final class MemorySpace {
    private static final long TICKET_NANOS = 6_000_000_000L;
    private static final long LONGEST_GRANT_NANOS = 2_000_000_000L;

    private static final int SWEEP = 10_000;

    private static final class Lock {
        @Nullable
        String owner;

        long token;
        int tokens;
        long expiryNanos;
        final Map<String, Ticket> queue = new LinkedHashMap<>();

        boolean isFree(long now) {
            return owner == null || expiryNanos - now <= 0;
        }
    }

    private static final class Ticket {
        final StoreEvents events;
        final Platform platform;
        final long grantNanos;
        final int tokens;
        final long expiryNanos;

        Ticket(AcquireRequest request, StoreContext context, long now) {
            this.events = context.events();
            this.platform = context.platform();
            this.grantNanos = Math.min(request.lease().toNanos(), LONGEST_GRANT_NANOS);
            this.tokens = request.tokens();
            this.expiryNanos = now + TICKET_NANOS;
        }
    }

    private final String name;
    private final Map<String, Lock> locks = new HashMap<>();
    private long lastToken;
    private long requests;

    MemorySpace(String name) {
        this.name = name;
    }

    String address() {
        return "memory:" + name;
    }

    synchronized AcquireReply acquire(AcquireRequest request, StoreContext context) {
        long now = context.platform().nanoTime();
        if (++requests % SWEEP == 0) {
            // Leases that ended without a release.
            locks.values().removeIf(lock -> lock.isFree(now) && first(lock, now) == null);
        }
        Lock lock = locks.computeIfAbsent(request.name(), any -> new Lock());
        if (lock.isFree(now) && !isAhead(lock, request.owner(), now)) {
            lock.queue.remove(request.owner());
            give(lock, request.owner(), now, request.lease().toNanos(), request.tokens());
            return new AcquireReply.Granted(lock.token, lock.tokens);
        }
        if (request.owner().equals(lock.owner) && !lock.isFree(now)) {
            lock.expiryNanos = later(lock.expiryNanos, now + request.lease().toNanos());
            return new AcquireReply.Granted(lock.token, lock.tokens);
        }
        if (lock.isFree(now)) {
            grantToFirst(request.name(), lock, now);
        }
        long remaining = Math.max(0, lock.expiryNanos - now);
        if (!request.waits()) {
            return new AcquireReply.Busy();
        }
        // Replaced, if there was one: it keeps its place.
        lock.queue.put(request.owner(), new Ticket(request, context, now));
        return new AcquireReply.Queued(Duration.ofNanos(Math.min(remaining + 1_000_000, TICKET_NANOS / 3)), true);
    }

    synchronized ReleaseReply release(String lockName, String owner, long now) {
        Lock lock = locks.get(lockName);
        if (lock == null) {
            return ReleaseReply.NOT_OWNER;
        }
        lock.queue.remove(owner);
        boolean held = owner.equals(lock.owner) && !lock.isFree(now);
        if (held) {
            lock.owner = null;
        }
        if (lock.isFree(now)) {
            grantToFirst(lockName, lock, now);
        }
        return held ? ReleaseReply.RELEASED : ReleaseReply.NOT_OWNER;
    }

    /** One owner gives up, and another has its place in the queue. */
    synchronized ExchangeReply exchange(String owner, AcquireRequest next, StoreContext context) {
        long now = context.platform().nanoTime();
        Lock lock = locks.get(next.name());
        if (lock != null && lock.queue.containsKey(owner) && !lock.queue.containsKey(next.owner())) {
            Map<String, Ticket> queue = new LinkedHashMap<>(lock.queue);
            lock.queue.clear();
            queue.forEach((who, ticket) -> {
                lock.queue.put(who, ticket);
                if (who.equals(owner)) {
                    lock.queue.put(next.owner(), new Ticket(next, context, now));
                }
            });
        }
        return new ExchangeReply(release(next.name(), owner, now), acquire(next, context));
    }

    synchronized RenewReply renew(RenewItem item, long now) {
        Lock lock = locks.get(item.name());
        if (lock == null || !item.owner().equals(lock.owner) || lock.isFree(now)) {
            return new RenewReply.Gone();
        }
        lock.expiryNanos = later(lock.expiryNanos, now + item.lease().toNanos());
        return new RenewReply.Renewed(!lock.queue.isEmpty());
    }

    synchronized List<LockInfo> inspect(String pattern, long now) {
        Pattern names = Pattern.compile(
                ("\\Q" + pattern.replace("\\E", "\\E\\\\E\\Q") + "\\E").replace("*", "\\E.*\\Q"), Pattern.DOTALL);
        List<LockInfo> found = new ArrayList<>();
        locks.forEach((lockName, lock) -> {
            boolean free = lock.isFree(now);
            if (names.matcher(lockName).matches() && (!free || !lock.queue.isEmpty())) {
                found.add(new LockInfo(
                        lockName,
                        free ? Optional.empty() : Optional.ofNullable(lock.owner),
                        free ? OptionalLong.empty() : OptionalLong.of(lock.token),
                        Duration.ofNanos(free ? 0 : lock.expiryNanos - now),
                        List.copyOf(lock.queue.keySet())));
            }
        });
        return found;
    }

    /** How many names are known, in use or not. */
    synchronized int size() {
        return locks.size();
    }

    /** Whether a live ticket of somebody else stands before the owner's. Drops dead ones on the way. */
    private static boolean isAhead(Lock lock, String owner, long now) {
        String first = first(lock, now);
        return first != null && !first.equals(owner);
    }

    private static @Nullable String first(Lock lock, long now) {
        Iterator<Map.Entry<String, Ticket>> tickets = lock.queue.entrySet().iterator();
        while (tickets.hasNext()) {
            Map.Entry<String, Ticket> ticket = tickets.next();
            if (ticket.getValue().expiryNanos - now > 0) {
                return ticket.getKey();
            }
            tickets.remove();
        }
        return null;
    }

    /** Hands a free lock to the first live ticket, for as long as its owner needs to confirm; forgets it if there is none. */
    private void grantToFirst(String lockName, Lock lock, long now) {
        String first = first(lock, now);
        Ticket ticket = first == null ? null : lock.queue.remove(first);
        if (first == null || ticket == null) {
            locks.remove(lockName);
            return;
        }
        give(lock, first, now, ticket.grantNanos, ticket.tokens);
        ticket.platform.callbacks().execute(() -> ticket.events.wake(lockName, first));
    }

    private void give(Lock lock, String owner, long now, long nanos, int tokens) {
        lock.owner = owner;
        lock.token = lastToken + 1;
        lock.tokens = tokens;
        lastToken += tokens;
        lock.expiryNanos = now + nanos;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
