package io.holdfast.spi;

import java.time.Duration;

/**
 * Asks for a lock.
 *
 * @param name the lock
 * @param owner the id of this acquisition; a repetition of the request has the same one
 * @param lease how long the store keeps the lock without a renewal
 * @param waits whether to leave a ticket if the lock is not to be had
 */
public record AcquireRequest(String name, String owner, Duration lease, boolean waits) {}
