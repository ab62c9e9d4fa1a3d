package io.holdfast.faults.judge;

import io.holdfast.faults.contender.Wish;
import java.util.List;

/** What became of one wish, as the process that had it wrote it down. Times that have not come are {@link #NEVER}. */
public final class Attempt {
    public static final long NEVER = Long.MAX_VALUE;

    private final String worker;
    private final long id;
    private final Wish wish;
    private final long asked;
    private final long wait;
    long granted = NEVER;
    List<Long> tokens = List.of();
    long gaveUp = NEVER;
    boolean failed;
    long until = NEVER;
    long askedInVain = NEVER;
    long toldNo = NEVER;
    long fenced = NEVER;
    long releasing = NEVER;
    long released = NEVER;
    boolean kept;
    /** Whether it was deposed, and nobody interrupted it. */
    boolean ignored;

    long lost = NEVER;

    Attempt(String worker, long id, Wish wish, long asked, long wait) {
        this.worker = worker;
        this.id = id;
        this.wish = wish;
        this.asked = asked;
        this.wait = wait;
    }

    public String worker() {
        return worker;
    }

    /** Unique among all processes; what the gate knows it by. */
    public String key() {
        return worker + ":" + id;
    }

    public Wish wish() {
        return wish;
    }

    public long asked() {
        return asked;
    }

    public long granted() {
        return granted;
    }

    public boolean isGranted() {
        return granted != NEVER;
    }

    /** When it was told of its loss. */
    public long lost() {
        return lost;
    }

    /** When its write was refused for its token. */
    public long fenced() {
        return fenced;
    }

    /** Until when it knew that it holds; {@link #NEVER} if it never looked. */
    public long until() {
        return until;
    }

    /** When it ended its wait without it. */
    public long gaveUp() {
        return gaveUp;
    }

    /** When the wait was over, one way or the other. */
    long answered() {
        return Math.min(granted, gaveUp);
    }

    /** How long it meant to wait. */
    long meant() {
        return wait;
    }

    /** By how much the wait lasted longer than asked for. */
    long overtime() {
        return answered() - asked - wait;
    }

    /** Whether it ever knew, after it was granted, that it holds. */
    boolean isProven() {
        return isGranted() && (kept || (until != NEVER && until > granted));
    }

    /**
     * Until when it surely held, in its own eyes: the deadline it knew of, unless it had given it back, been told that it had
     * lost it, or been killed before.
     */
    public long heldUntil(long killed) {
        if (!isGranted()) {
            return Long.MIN_VALUE;
        }
        if (kept && releasing < killed) {
            return releasing;
        }
        long known = until == NEVER ? granted : until;
        long told = Math.min(Math.min(lost, toldNo), Math.min(askedInVain, fenced));
        return Math.min(Math.min(known, told), Math.min(releasing, killed));
    }

    long token(String lock) {
        int index = wish.locks().indexOf(lock);
        return index < tokens.size() ? tokens.get(index) : 0;
    }

    @Override
    public String toString() {
        return key() + " " + wish.workload().id() + " " + wish.mode() + " " + wish.locks()
                + (tokens.isEmpty() ? "" : " tokens " + tokens);
    }
}
