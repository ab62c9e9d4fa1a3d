package io.holdfast.testkit;

import java.time.Duration;

/**
 * One request that a client has sent to a {@link FaultyStore}, whatever became of it. A batch of renewals is one for each
 * of its leases.
 *
 * @param operation what was asked for
 * @param name the lock, or the pattern of an inspection; empty for a health check
 * @param owner the acquisition; empty for inspections and health checks
 * @param lease for acquire and renew; zero otherwise
 * @param waits whether an acquire was ready to wait
 */
public record Call(Operation operation, String name, String owner, Duration lease, boolean waits) {}
