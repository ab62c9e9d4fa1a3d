package io.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * Which acquisition an event is about.
 *
 * @param lockName the lock
 * @param owner the id of this very acquisition, as the store knows it
 * @param token its fencing token
 * @param lease how long the store keeps it without hearing from its holder
 * @param maxHold how long it may be held; empty if there is no limit
 */
public record Hold(String lockName, String owner, long token, Duration lease, Optional<Duration> maxHold) {

    /** One with the lease and the limit that a lock has unless told otherwise. */
    public Hold(String lockName, String owner, long token) {
        this(lockName, owner, token, LockOptions.DEFAULT.lease(), LockOptions.DEFAULT.maxHold());
    }
}
