package io.holdfast.simulation.audit;

import io.holdfast.spi.Share;
import org.jspecify.annotations.Nullable;

/** What the servers have, for whoever compares it with what clients believe. */
public interface Truth {
    /** What stands there instead of a lease that somebody believes in; null if it stands there, or nobody can know. */
    @Nullable
    String instead(String name, String owner, long token, Share share);

    /** Whether a server has granted a lock with this token, and it is not one that was passed on. */
    boolean isGranted(long token);

    /** Why a token that was just told might be given again; null if so many count from it that it cannot. */
    default @Nullable String uncounted(long token) {
        return null;
    }

    /** The lowest token that may come next. */
    long nextToken();

    /** The highest token that a server has granted, whether or not anybody has heard of it. */
    long highestToken();
}
