package io.holdfast.simulation.audit;

import io.holdfast.spi.Share;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the servers have, for whoever compares it with what clients believe. */
public interface Truth {
    /** What stands there instead of a lease that somebody believes in; null if it stands there, or nobody can know. */
    @Nullable
    String instead(String name, String owner, long token, Share share);

    /** Whether a holder that listens is told when an operator takes what it has. */
    default boolean tellsHolders() {
        return true;
    }

    /** Who has it, or a share of it. */
    List<String> holders(String name);

    /** Whether a server has granted the lock with this token, and it is not one that was passed on. */
    boolean isGranted(String name, long token);

    /** Those who stand in line for a lock, the first first; none where there is no line. */
    default Set<String> queue(String name) {
        return Set.of();
    }

    /** Whether somebody who stands in line still wants the lock, and was never passed over. */
    default boolean isWaiting(String owner) {
        return false;
    }

    /** Why a token that was just told might be given again; null if so many count from it that it cannot. */
    default @Nullable String uncounted(long token) {
        return null;
    }

    /** The lowest token that the lock may be given with next. */
    long nextToken(String name);

    /** The highest token that a server has granted the lock with, whether or not anybody has heard of it. */
    long highestToken(String name);
}
