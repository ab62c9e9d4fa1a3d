package io.holdfast.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * What a store is given when it is opened.
 *
 * @param clientId unique for each client, short, without colons
 * @param keyPrefix what every key and channel starts with
 * @param commandTimeout how long one command may take
 * @param platform time, threads and chance; closed by the engine
 * @param events where to report
 * @param origin where this client runs, to be kept for those who look at its locks; empty if it is not to be told. Keeping it
 *     is optional, and must neither fail nor delay a lock
 */
public record StoreContext(
        String clientId,
        String keyPrefix,
        Duration commandTimeout,
        Platform platform,
        StoreEvents events,
        Optional<Origin> origin) {

    /** One that does not tell where it runs. */
    public StoreContext(
            String clientId, String keyPrefix, Duration commandTimeout, Platform platform, StoreEvents events) {
        this(clientId, keyPrefix, commandTimeout, platform, events, Optional.empty());
    }

    /** The same, of a client that does not tell where it runs. */
    public StoreContext anonymous() {
        return new StoreContext(clientId, keyPrefix, commandTimeout, platform, events);
    }

    /** The same, but for time, threads and where to report. */
    public StoreContext with(Platform otherPlatform, StoreEvents otherEvents) {
        return new StoreContext(clientId, keyPrefix, commandTimeout, otherPlatform, otherEvents, origin);
    }
}
