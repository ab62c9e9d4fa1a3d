package io.holdfast.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One lock as the store sees it.
 *
 * @param name the lock
 * @param owner who holds it: an owner id of this library, or the text another client has put there; empty if it is free
 * @param token the holder's fencing token, if it is one of this library's; the first of them, if it was granted several
 * @param remaining what is left of the lease; zero if the lock is free or never expires
 * @param waiters the owner ids of those who wait, first come first
 * @param sharedBy the owner ids of those who share it; then it has no owner, and what remains is what is left of
 *     the last of their leases
 */
public record LockInfo(
        String name,
        Optional<String> owner,
        OptionalLong token,
        Duration remaining,
        List<String> waiters,
        List<String> sharedBy) {

    /** A lock that is free, or that one has whole. */
    public LockInfo(String name, Optional<String> owner, OptionalLong token, Duration remaining, List<String> waiters) {
        this(name, owner, token, remaining, waiters, List.of());
    }
}
