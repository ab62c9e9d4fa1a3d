package io.holdfast.memory;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockInfo.Party;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.time.Instant;
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

    /** What one owner has. */
    private static final class Hold {
        final Share share;
        final long token;
        final int tokens;
        final long sinceNanos;
        long expiryNanos;

        Hold(Share share, long token, int tokens, long sinceNanos, long expiryNanos) {
            this.share = share;
            this.token = token;
            this.tokens = tokens;
            this.sinceNanos = sinceNanos;
            this.expiryNanos = expiryNanos;
        }
    }

    private static final class Lock {
        /** One that has it whole, or those who share it. */
        final Map<String, Hold> holds = new LinkedHashMap<>();

        final Map<String, Ticket> queue = new LinkedHashMap<>();

        /** The number of permits, while any are held. */
        int permits;

        void clean(long now) {
            holds.values().removeIf(hold -> hold.expiryNanos - now <= 0);
        }

        boolean isFree() {
            return holds.isEmpty();
        }

        Share.Kind kind() {
            return holds.values().iterator().next().share.kind();
        }

        boolean fits(Share share) {
            if (isFree()) {
                return true;
            }
            if (share.kind() != kind() || share.isWhole()) {
                return false;
            }
            int used = holds.values().stream()
                    .mapToInt(hold -> hold.share.weight())
                    .sum();
            return share.isRead() || share.weight() <= permits - used;
        }

        /** Whether this means something else by the name than those who hold it. */
        boolean isUsedOtherwise(Share share) {
            boolean permitsHere = !isFree() && kind() == Share.Kind.PERMITS;
            boolean permitsAsked = share.kind() == Share.Kind.PERMITS;
            return !isFree() && (permitsHere != permitsAsked || (permitsHere && permits != share.permits()));
        }

        long nextExpiry() {
            return holds.values().stream()
                    .mapToLong(hold -> hold.expiryNanos)
                    .reduce((one, other) -> one - other < 0 ? one : other)
                    .orElseThrow();
        }
    }

    private static final class Ticket {
        final StoreEvents events;
        final Platform platform;
        final long grantNanos;
        final Share share;
        final int tokens;
        final long sinceNanos;
        final long expiryNanos;

        /** @param since when its owner came, or whoever left it the place */
        Ticket(AcquireRequest request, StoreContext context, long since, long now) {
            this.events = context.events();
            this.platform = context.platform();
            this.grantNanos = Math.min(request.lease().toNanos(), LONGEST_GRANT_NANOS);
            this.share = request.share();
            this.tokens = request.tokens();
            this.sinceNanos = since;
            this.expiryNanos = now + TICKET_NANOS;
        }
    }

    private final String name;
    private final Map<String, Lock> locks = new HashMap<>();
    final MemoryLatches latches = new MemoryLatches();
    /** Those who are connected, by their ids. */
    private final Map<String, StoreContext> clients = new HashMap<>();

    private long lastToken;
    private long requests;

    MemorySpace(String name) {
        this.name = name;
    }

    String address() {
        return "memory:" + name;
    }

    synchronized void join(StoreContext client) {
        clients.put(client.clientId(), client);
    }

    synchronized void leave(StoreContext client) {
        clients.remove(client.clientId(), client);
    }

    synchronized AcquireReply acquire(AcquireRequest request, StoreContext context) {
        return acquire(request, context, false);
    }

    /** Takes them in their order until one is not to be had, and gives them up again then, unless a part is wanted. */
    synchronized List<AcquireReply> acquireAll(List<AcquireRequest> requests, boolean part, StoreContext context) {
        List<AcquireReply> replies = new ArrayList<>();
        for (AcquireRequest request : requests) {
            AcquireReply reply = acquire(request, context);
            replies.add(reply);
            if (!(reply instanceof AcquireReply.Granted)) {
                if (!part) {
                    long now = context.platform().nanoTime();
                    requests.stream().limit(replies.size()).forEach(taken -> release(taken.name(), taken.owner(), now));
                }
                break;
            }
        }
        return replies;
    }

    /** @param downgrades whether it has just given up the whole, and only reads from now on: nobody comes in between */
    private AcquireReply acquire(AcquireRequest request, StoreContext context, boolean downgrades) {
        long now = context.platform().nanoTime();
        if (++requests % SWEEP == 0) {
            sweep(now);
        }
        Lock lock = locks.computeIfAbsent(request.name(), any -> new Lock());
        lock.clean(now);
        Hold own = lock.holds.get(request.owner());
        if (own != null) {
            lock.queue.remove(request.owner());
            own.expiryNanos = later(own.expiryNanos, now + request.lease().toNanos());
            return new AcquireReply.Granted(own.token, own.tokens);
        }
        if (!downgrades) {
            grantToThoseBefore(request.name(), lock, request.owner(), now);
        }
        if (lock.isUsedOtherwise(request.share())) {
            return new AcquireReply.Failed(usedOtherwise(request, lock));
        }
        if (lock.fits(request.share()) && (downgrades || !isAhead(lock, request.owner(), now))) {
            lock.queue.remove(request.owner());
            Hold given = give(lock, request.owner(), now, request.lease().toNanos(), request.tokens(), request.share());
            grantToThoseBefore(request.name(), lock, "", now);
            return new AcquireReply.Granted(given.token, given.tokens);
        }
        if (!request.waits()) {
            return new AcquireReply.Busy();
        }
        // Replaced, if there was one: it keeps its place.
        lock.queue.compute(
                request.owner(),
                (any, before) -> new Ticket(request, context, before == null ? now : before.sinceNanos, now));
        long remaining = lock.isFree() ? 0 : Math.max(0, lock.nextExpiry() - now);
        return new AcquireReply.Queued(Duration.ofNanos(Math.min(remaining + 1_000_000, TICKET_NANOS / 3)), true);
    }

    /** Locks whose leases ended without a release, and that nobody waits for. */
    private void sweep(long now) {
        locks.values().removeIf(lock -> {
            lock.clean(now);
            return lock.isFree() && first(lock, now) == null;
        });
    }

    private StoreFailure usedOtherwise(AcquireRequest request, Lock lock) {
        boolean semaphore = lock.kind() == Share.Kind.PERMITS;
        return StoreFailure.refused(
                address() + " has " + (semaphore ? "a semaphore of " + lock.permits + " permits" : "no semaphore")
                        + " under the name '" + request.name() + "', and was asked for "
                        + (request.share().kind() == Share.Kind.PERMITS
                                ? "one of " + request.share().permits()
                                : "a lock")
                        + "; let all who use the name agree, or use another",
                null);
    }

    synchronized ReleaseReply release(String lockName, String owner, long now) {
        Lock lock = locks.get(lockName);
        if (lock == null) {
            return ReleaseReply.NOT_OWNER;
        }
        boolean held = giveUp(lock, owner, now);
        passOn(lockName, lock, now);
        return held ? ReleaseReply.RELEASED : ReleaseReply.NOT_OWNER;
    }

    /** Takes what an owner holds from it, and tells its client. */
    synchronized boolean expel(String lockName, String owner, StoreContext by) {
        long now = by.platform().nanoTime();
        Lock lock = locks.get(lockName);
        if (lock == null) {
            return false;
        }
        lock.clean(now);
        if (!lock.holds.containsKey(owner)) {
            return false;
        }
        release(lockName, owner, now);
        int mark = owner.indexOf(':');
        StoreContext holder = clients.get(mark < 0 ? owner : owner.substring(0, mark));
        if (holder != null) {
            String detail = StoreEvents.byForce(by.origin());
            holder.platform().callbacks().execute(() -> holder.events().expelled(lockName, owner, detail));
        }
        return true;
    }

    private static boolean giveUp(Lock lock, String owner, long now) {
        lock.queue.remove(owner);
        lock.clean(now);
        return lock.holds.remove(owner) != null;
    }

    /** One owner gives up, and another has its place in the queue; or reads on, if the first had the whole. */
    synchronized ExchangeReply exchange(String owner, AcquireRequest next, StoreContext context) {
        long now = context.platform().nanoTime();
        Lock lock = locks.get(next.name());
        if (lock == null) {
            return new ExchangeReply(
                    ReleaseReply.NOT_OWNER, next.share().isRead() ? new AcquireReply.Busy() : acquire(next, context));
        }
        if (lock.queue.containsKey(owner) && !lock.queue.containsKey(next.owner())) {
            Map<String, Ticket> queue = new LinkedHashMap<>(lock.queue);
            lock.queue.clear();
            queue.forEach((who, ticket) -> {
                lock.queue.put(who, ticket);
                if (who.equals(owner)) {
                    lock.queue.put(next.owner(), new Ticket(next, context, ticket.sinceNanos, now));
                }
            });
        }
        lock.clean(now);
        Hold had = lock.holds.get(owner);
        boolean held = giveUp(lock, owner, now);
        boolean downgrades = had != null && had.share.isWhole() && next.share().isRead();
        if (!downgrades) {
            passOn(next.name(), lock, now);
        }
        if (next.share().isRead() && !downgrades && !lock.holds.containsKey(next.owner())) {
            // It reads on in one step, or not at all.
            return new ExchangeReply(held ? ReleaseReply.RELEASED : ReleaseReply.NOT_OWNER, new AcquireReply.Busy());
        }
        return new ExchangeReply(
                held ? ReleaseReply.RELEASED : ReleaseReply.NOT_OWNER, acquire(next, context, downgrades));
    }

    synchronized RenewReply renew(RenewItem item, long now) {
        Lock lock = locks.get(item.name());
        if (lock == null) {
            return new RenewReply.Gone();
        }
        lock.clean(now);
        Hold hold = lock.holds.get(item.owner());
        if (hold == null) {
            return new RenewReply.Gone();
        }
        hold.expiryNanos = later(hold.expiryNanos, now + item.lease().toNanos());
        return new RenewReply.Renewed();
    }

    synchronized boolean resize(String lockName, int permits, long now) {
        Lock lock = locks.get(lockName);
        if (lock == null) {
            return false;
        }
        lock.clean(now);
        if (lock.isFree() || lock.kind() != Share.Kind.PERMITS) {
            return false;
        }
        lock.permits = permits;
        passOn(lockName, lock, now);
        return true;
    }

    synchronized List<LockInfo> inspect(String pattern, Platform platform) {
        Now now = new Now(platform.nanoTime(), platform.wallMillis());
        Pattern names = Pattern.compile(
                ("\\Q" + pattern.replace("\\E", "\\E\\\\E\\Q") + "\\E").replace("*", "\\E.*\\Q"), Pattern.DOTALL);
        List<LockInfo> found = new ArrayList<>();
        locks.forEach((lockName, lock) -> {
            lock.clean(now.nanos());
            if (names.matcher(lockName).matches() && (!lock.isFree() || !lock.queue.isEmpty())) {
                found.add(describe(lockName, lock, now)
                        .located(client ->
                                Optional.ofNullable(clients.get(client)).flatMap(StoreContext::origin)));
            }
        });
        return found;
    }

    private static LockInfo describe(String lockName, Lock lock, Now now) {
        List<Party> holders = lock.holds.entrySet().stream()
                .map(hold ->
                        now.party(hold.getKey(), OptionalLong.of(hold.getValue().token), hold.getValue().sinceNanos))
                .toList();
        List<Party> line = lock.queue.entrySet().stream()
                .map(ticket -> now.party(ticket.getKey(), OptionalLong.empty(), ticket.getValue().sinceNanos))
                .toList();
        Duration remaining = Duration.ofNanos(lock.holds.values().stream()
                .mapToLong(hold -> hold.expiryNanos - now.nanos())
                .max()
                .orElse(0));
        Optional<Party> whole =
                !lock.isFree() && lock.kind() == Share.Kind.WHOLE ? Optional.of(holders.get(0)) : Optional.empty();
        return new LockInfo(
                lockName,
                whole.map(Party::owner),
                whole.map(Party::token).orElse(OptionalLong.empty()),
                remaining,
                line.stream().map(Party::owner).toList(),
                whole.isPresent()
                        ? List.of()
                        : holders.stream().map(Party::owner).toList(),
                holders,
                line);
    }

    /** A moment on both clocks. */
    private record Now(long nanos, long wallMillis) {
        Party party(String owner, OptionalLong token, long sinceNanos) {
            Duration age = Duration.ofNanos(Math.max(0, nanos - sinceNanos));
            return new Party(
                    owner, token, Optional.of(Instant.ofEpochMilli(wallMillis).minus(age)), Optional.of(age));
        }
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

    /** Hands what is free to those at the head of the queue, and forgets the lock if nobody is left. */
    private void passOn(String lockName, Lock lock, long now) {
        grantToThoseBefore(lockName, lock, "", now);
        if (lock.isFree()) {
            locks.remove(lockName);
        }
    }

    /** Hands what is free to live tickets from the head on, as many as it fits, for as long as they need to confirm. */
    private void grantToThoseBefore(String lockName, Lock lock, String owner, long now) {
        String first = first(lock, now);
        while (first != null && !first.equals(owner)) {
            Ticket ticket = lock.queue.get(first);
            if (ticket == null || !lock.fits(ticket.share)) {
                return;
            }
            lock.queue.remove(first);
            give(lock, first, now, ticket.grantNanos, ticket.tokens, ticket.share);
            String granted = first;
            ticket.platform.callbacks().execute(() -> ticket.events.wake(lockName, granted));
            first = first(lock, now);
        }
    }

    private Hold give(Lock lock, String owner, long now, long nanos, int tokens, Share share) {
        int count = share.isWhole() ? Math.max(1, tokens) : 1;
        Hold hold = new Hold(share, lastToken + 1, count, now, now + nanos);
        lastToken += count;
        if (lock.isFree()) {
            lock.permits = share.permits();
        }
        lock.holds.put(owner, hold);
        return hold;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
