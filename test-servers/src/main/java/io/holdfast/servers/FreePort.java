package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports to listen on.
 *
 * <p>They lie below the range from which the kernel takes the ports of outgoing connections (32768 and up on Linux).
 * A client that keeps trying to reach a stopped server on a port inside that range is at some point given the very same
 * port for its own end, connects to itself, and the server can never come back.
 */
final class FreePort {
    // The cluster bus of a Redis server listens 10000 above its port, and shall stay below that range too.
    private static final int FIRST = 10_000;
    private static final int END = 22_500;
    private static final int ATTEMPTS = 200;

    private FreePort() {}

    /** A port that was free a moment ago; whoever binds it has to cope with having lost a race. */
    static int find() {
        try (ServerSocket socket = listen()) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("could not close the socket that probed for a free port", e);
        }
    }

    /** Listens on a free port of the loopback address. */
    static ServerSocket listen() {
        for (int attempt = 1; ; attempt++) {
            try {
                return listen(ThreadLocalRandom.current().nextInt(FIRST, END));
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw new UncheckedIOException(
                            "no free port between " + FIRST + " and " + END + " in " + ATTEMPTS + " attempts", e);
                }
            }
        }
    }

    static ServerSocket listen(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
