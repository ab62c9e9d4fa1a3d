package io.holdfast.spi;

/**
 * The answer to an exchange.
 *
 * @param released what became of the one who gave up
 * @param acquired the answer to the one who asks
 */
public record ExchangeReply(ReleaseReply released, AcquireReply acquired) {}
