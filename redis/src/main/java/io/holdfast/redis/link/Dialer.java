package io.holdfast.redis.link;

import java.net.Socket;
import java.time.Duration;

/**
 * How a connection is opened: the one place where this library meets the network. A {@code Platform} that is also a dialer
 * is asked, and what it returns stands for the connection; all others have TCP. So everything above it, Jedis included, can
 * be run without a network.
 */
public interface Dialer {

    /**
     * Connects, or fails with an exception of Jedis. Reading from what it returns may block the thread that reads; writing
     * must not.
     */
    Socket dial(String host, int port, Duration timeout);
}
