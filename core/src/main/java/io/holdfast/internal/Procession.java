package io.holdfast.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Those of one client who stood directly behind one another in the store's queue when the first of them got the lock. It
 * goes from one to the next without a word to the store, in the order of the queue: nobody else would have come between.
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
    private long nextToken;
    private int tokensLeft;
    private final List<String> served = new ArrayList<>();

    Procession(Engine engine, HeldLease holder, int tokens, List<String> behind) {
        this.engine = engine;
        this.holder = holder;
        this.behind = behind;
        this.nextToken = holder.token() + 1;
        this.tokensLeft = tokens - 1;
    }

    synchronized boolean isHeldBy(HeldLease lease) {
        return holder == lease;
    }

    /** Passes the lock on to the next who still waits. Null if the store is to decide. */
    synchronized @Nullable Acquisition pass(HeldLease lease, long now) {
        while (holder == lease && next < behind.size() && tokensLeft > 0) {
            String id = behind.get(next);
            // Who is not known here has left, or is of a copy of this process, and then it would be passed over.
            if (!(engine.waiter(id) instanceof Acquisition heir) || !heir.mayFollow(lease, now)) {
                return null;
            }
            next++;
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

    /** Whose tickets are to be taken back with the lock. */
    synchronized List<String> served() {
        return List.copyOf(served);
    }
}
