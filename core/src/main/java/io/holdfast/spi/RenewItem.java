package io.holdfast.spi;

import java.time.Duration;

/**
 * One lease to renew.
 *
 * @param name the lock
 * @param owner the acquisition
 * @param lease the lease is to last at least this long from now
 */
public record RenewItem(String name, String owner, Duration lease) {}
