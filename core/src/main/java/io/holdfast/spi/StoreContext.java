package io.holdfast.spi;

import java.time.Duration;

/**
 * What a store is given when it is opened.
 *
 * @param clientId unique for each client, short, without colons
 * @param keyPrefix what every key and channel starts with
 * @param commandTimeout how long one command may take
 * @param platform time, threads and chance; closed by the engine
 * @param events where to report
 */
public record StoreContext(
        String clientId, String keyPrefix, Duration commandTimeout, Platform platform, StoreEvents events) {}
