package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Names;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/**
 * The servers of a quorum, and what all its clients have to agree on. Immutable.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder()
 *         .store(RedlockStore.on("redis://h1", "redis://h2", "redis://h3").maxLease(Duration.ofSeconds(90)))
 *         .build();
 * }</pre>
 */
public final class RedlockServers implements StoreFactory {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final RedlockSettings settings;

    RedlockServers(RedlockSettings settings) {
        this.settings = settings;
    }

    /**
     * The longest lease that any client may ask for, 60 s by default; a server that was started does not count before that
     * time is over. Has to be the same for all clients.
     */
    public RedlockServers maxLease(Duration longest) {
        return new RedlockServers(settings.withMaxLease(requireNonNull(longest, "maxLease")));
    }

    /** How long one server may take to answer before it is done without, 50 ms by default. */
    public RedlockServers nodeTimeout(Duration longest) {
        return new RedlockServers(settings.withNodeTimeout(requireNonNull(longest, "nodeTimeout")));
    }

    @Override
    public LockStore open(StoreContext context) {
        return new RedlockStore(settings, context);
    }

    /**
     * Vouches that no lease which these servers have ever given is still running: because they are new, or because all
     * clients have been stopped for as long as a lease lasts. They then count at once, as long as they are not restarted. For
     * whoever sets up the servers, never for an application that starts.
     *
     * @param keyPrefix what the keys of the locks start with
     * @throws RuntimeException if a server cannot be reached; those before it have been told
     */
    public void vouch(String keyPrefix) {
        Keys keys = new Keys(Names.checkPrefix(keyPrefix));
        // By then it has been up for that long.
        String millis = Long.toString(settings.maxLease().plusSeconds(2).toMillis());
        try (Platform platform = Platform.system()) {
            for (RedisUri server : settings.servers()) {
                vouch(ConnectionSource.to(server, platform), keys, millis);
            }
        }
    }

    private static void vouch(ConnectionSource source, Keys keys, String millis) {
        Connection wire = source.open(TIMEOUT, socket -> {});
        try {
            wire.sendCommand(Protocol.Command.INFO, "server");
            String life = RedisErrors.field(Reply.text(wire.getOne()), "run_id");
            if (life == null) {
                throw new IllegalStateException(source.address() + " does not tell its run id");
            }
            wire.sendCommand(Protocol.Command.SET, keys.vouched(), life, "PX", millis);
            wire.getOne();
        } finally {
            source.drop(wire);
        }
    }
}
