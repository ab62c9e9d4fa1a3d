package io.holdfast.internal;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those of one client who stand directly behind one another in the store's queue, the first of whom was given the lock. It
 * goes from one to the next without a word to the store, in the order of the queue: nobody else would have come between.
 * The store tells who stood there when it gave the lock, and each who comes later whom it stands behind; so it goes on
 * until one of another client is next, or the tokens that were reserved with the lock are used up.
 *
 * <p>Their tickets stay in the queue until the last of them gives the lock back, and are taken out along with that. So if
 * anything goes wrong on the way, those who have not had their turn have lost nothing.
 */
final class Procession {
    private final Engine engine;

    // All guarded by this.
    private HeldLease holder;
    private final List<String> behind;
    private int next;
    /** Who has it, as it stands in the queue. */
    private String last;

    private long nextToken;
    private int tokensLeft;
    private final Set<String> served = new LinkedHashSet<>();

    Procession(Engine engine, HeldLease holder, int tokens, List<String> behind) {
        this.engine = engine;
        this.holder = holder;
        this.behind = behind;
        this.last = holder.owner();
        this.nextToken = holder.token() + 1;
        this.tokensLeft = tokens - 1;
    }

    synchronized boolean isHeldBy(HeldLease lease) {
        return holder == lease;
    }

    /** Passes the lock on to the next who still waits. Null if the store is to decide. */
    synchronized @Nullable Acquisition pass(HeldLease lease, long now) {
        while (holder == lease && tokensLeft > 0) {
            String id = next < behind.size() ? behind.get(next) : engine.lines().follower(last);
            // Who is not known here has left, or is of a copy of this process, and then it would be passed over.
            if (id == null || !(engine.waiter(id) instanceof Acquisition heir) || !heir.mayFollow(lease, now)) {
                return null;
            }
            next++;
            last = id;
            HeldLease theirs = heir.inherit(lease, nextToken, now);
            if (theirs != null) {
                nextToken++;
                tokensLeft--;
                served.add(id);
                holder = theirs;
                return heir;
            }
        }
        return null;
    }

    /** Whether the ticket of this one is to be taken back with the lock. */
    synchronized boolean hasServed(String owner) {
        return served.contains(owner);
    }

    /** Whose tickets are to be taken back with the lock. */
    synchronized List<String> served() {
        return List.copyOf(served);
    }
}
