package io.holdfast.spring;

import io.holdfast.Lease;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call of a method with locks: all that it holds, taken by itself or by a call around it. */
final class Section {
    private final List<Hold> holds;

    /** What it took itself; null if calls around it had everything. */
    private final @Nullable Hold own;

    private boolean elsewhere;

    /**
     * A call.
     *
     * @param around what calls around it had, entered
     * @param own what it took itself; null if that is nothing
     */
    Section(List<Hold> around, @Nullable Hold own) {
        List<Hold> all = new ArrayList<>(around);
        if (own != null) {
            all.add(own);
        }
        this.holds = List.copyOf(all);
        this.own = own;
    }

    List<Hold> holds() {
        return holds;
    }

    @Nullable
    Hold own() {
        return own;
    }

    /** For the method itself. */
    Lease lease() {
        return holds.size() == 1
                ? holds.get(0).lease()
                : new SeveralLeases(holds.stream().map(Hold::lease).toList());
    }

    /** Goes on elsewhere, and ends there: further calls on this thread do not find it. */
    void leaveThread() {
        elsewhere = true;
        holds.forEach(Hold::takeAway);
    }

    /** Ends, and says so if a lock that it gives back was lost. */
    void end() {
        RuntimeException failure = null;
        for (int i = holds.size() - 1; i >= 0; i--) {
            try {
                leave(holds.get(i));
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void leave(Hold hold) {
        if (elsewhere) {
            hold.leaveElsewhere();
        } else {
            hold.leave();
        }
    }

    /** Ends after a failure, which is what the caller hears of first. */
    void endAfter(Throwable failure) {
        try {
            end();
        } catch (RuntimeException e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
        }
    }
}
