package io.holdfast.testkit.contract;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks, from the answers that the store gives to all clients of a test, what must hold whatever the test does.
 *
 * <p>Exclusion: who is granted a lock believes to hold it from the moment the answer is there until it sends a release, or
 * until the lease is over, counted from the moment the request was sent and less the allowance for clocks. When an answer
 * grants a lock, nobody else may be in that state, but for those with whom it may be shared. Order: a token is higher than every one that was handed out before its
 * request was sent, and no two owners ever get the same.
 */
final class Witness {
    private static final class Book {
        final Map<String, Long> validUntil = new HashMap<>();
        final Map<String, Long> tokenOf = new HashMap<>();
        final Map<Long, String> ownerOf = new HashMap<>();
        final Map<String, Share> shareOf = new HashMap<>();
        final Set<String> queued = new HashSet<>();
        /** When the last release of an owner was sent. */
        final Map<String, Long> releasedAt = new HashMap<>();

        int permits;
        int queuedEver;
        long highest = Long.MIN_VALUE;
        /** Of those who had it whole. */
        long highestWhole = Long.MIN_VALUE;

        /** Whether a release was sent after that: whatever the answer to what was asked before, nobody relies on it. */
        boolean isGivenUp(String owner, long sentNanos) {
            Long released = releasedAt.get(owner);
            return released != null && released - sentNanos > 0;
        }
    }

    /** Something that may stand in the store. */
    record Trace(String name, String owner) {}

    // All guarded by this.
    private final Set<Trace> traces = new HashSet<>();
    private final Map<String, Book> books = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private int disturbances;
    private long undisturbedSince = System.nanoTime();

    /** What its token has to be higher than. Among those who share a lock there is no order. */
    synchronized long asked(AcquireRequest request) {
        Book book = book(request.name());
        return request.share().isWhole() ? book.highest : book.highestWhole;
    }

    synchronized void answered(AcquireRequest request, AcquireReply reply, long sentNanos, long floor) {
        Book book = book(request.name());
        String owner = request.owner();
        traces.add(new Trace(request.name(), owner));
        book.shareOf.put(owner, request.share());
        book.permits = Math.max(book.permits, request.share().permits());
        if (reply instanceof AcquireReply.Queued) {
            if (book.isGivenUp(owner, sentNanos) || book.queued.add(owner)) {
                book.queuedEver++;
            }
        } else if (reply instanceof AcquireReply.Granted granted) {
            book.queued.remove(owner);
            checkToken(request.name(), book, owner, granted.token(), floor);
            long last = granted.token() + granted.tokens() - 1;
            book.highest = Math.max(book.highest, last);
            if (request.share().isWhole()) {
                book.highestWhole = Math.max(book.highestWhole, last);
            }
            // An answer to an earlier request may tell of a grant that was taken away meanwhile, and given to another.
            if (disturbances == 0 && sentNanos - undisturbedSince > 0 && !book.isGivenUp(owner, sentNanos)) {
                checkExclusion(request.name(), book, owner, System.nanoTime());
                book.validUntil.merge(owner, sentNanos + usable(request.lease()), Witness::later);
            }
        }
    }

    /** The store says unasked that it has given somebody the lock. */
    synchronized void pushed(PushedGrant grant) {
        Book book = book(grant.name());
        if (disturbances == 0 && grant.sinceNanos() - undisturbedSince > 0 && book.queued.contains(grant.owner())) {
            checkExclusion(grant.name(), book, grant.owner(), grant.sinceNanos());
            book.validUntil.merge(grant.owner(), grant.sinceNanos() + usable(grant.length()), Witness::later);
        }
    }

    synchronized void resized(String name, int permits) {
        book(name).permits = Math.max(book(name).permits, permits);
    }

    synchronized void renewed(RenewItem item, long sentNanos) {
        book(item.name())
                .validUntil
                .computeIfPresent(item.owner(), (owner, until) -> later(until, sentNanos + usable(item.lease())));
    }

    synchronized void released(String name, String owner) {
        Book book = book(name);
        traces.remove(new Trace(name, owner));
        book.validUntil.remove(owner);
        book.queued.remove(owner);
        book.releasedAt.put(owner, System.nanoTime());
    }

    /**
     * The test takes locks away behind the library's back. Who was granted one before the end of that may think to have it
     * and is not to blame, so only later requests count.
     */
    void disturb(Runnable disturbance) {
        synchronized (this) {
            disturbances++;
            // From here on the next may be let in at any moment.
            books.values().forEach(book -> book.validUntil.clear());
        }
        disturbance.run();
        synchronized (this) {
            disturbances--;
            undisturbedSince = System.nanoTime();
            books.values().forEach(book -> book.validUntil.clear());
        }
    }

    /** How many have been told to wait for this lock, and have not been heard of since. */
    synchronized int waiting(String name) {
        return book(name).queued.size();
    }

    /** How many have ever been told to wait for this lock. */
    synchronized int waitingEver(String name) {
        return book(name).queuedEver;
    }

    /** Who was answered, and has not released since. */
    synchronized List<Trace> traces() {
        return List.copyOf(traces);
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    private void checkExclusion(String name, Book book, String owner, long now) {
        Share share = book.shareOf.getOrDefault(owner, Share.WHOLE);
        int weights = share.weight();
        for (Map.Entry<String, Long> entry : book.validUntil.entrySet()) {
            String other = entry.getKey();
            long until = entry.getValue();
            if (other.equals(owner) || until - now <= 0) {
                continue;
            }
            Share theirs = book.shareOf.getOrDefault(other, Share.WHOLE);
            weights += theirs.weight();
            boolean together =
                    share.kind() == theirs.kind() && !share.isWhole() && (share.isRead() || weights <= book.permits);
            if (!together) {
                violations.add("lock '" + name + "' was granted to " + owner + " while " + other + " held it for "
                        + (until - now) / 1_000 + " µs more");
            }
        }
    }

    private void checkToken(String name, Book book, String owner, long token, long floor) {
        Long before = book.tokenOf.put(owner, token);
        String other = book.ownerOf.put(token, owner);
        if (other != null && !other.equals(owner)) {
            violations.add("lock '" + name + "': token " + token + " went to " + other + " and to " + owner);
        }
        if ((before == null || before != token) && token <= floor) {
            violations.add("lock '" + name + "': token " + token + " of " + owner + " came after " + floor);
        }
    }

    private static long usable(Duration lease) {
        return lease.toNanos() - lease.toNanos() / 100 - 2_000_000;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    private Book book(String name) {
        return books.computeIfAbsent(name, any -> new Book());
    }
}
