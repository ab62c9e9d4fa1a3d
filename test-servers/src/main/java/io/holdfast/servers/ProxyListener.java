package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The port of a {@link TcpProxy}: open, or closed so that connections are refused. Thread safe. */
final class ProxyListener {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Consumer<Socket> accepted;
    private final int port;
    private @Nullable ServerSocket socket;
    private @Nullable Thread acceptor;

    /** Takes a port; nobody is let in before {@link #open()}. */
    ProxyListener(Consumer<Socket> accepted) {
        this.accepted = accepted;
        ServerSocket first = FreePort.listen();
        this.socket = first;
        this.port = first.getLocalPort();
    }

    int port() {
        return port;
    }

    synchronized void open() {
        ServerSocket listening = socket;
        if (listening != null && acceptor != null) {
            return;
        }
        if (listening == null) {
            listening = bindAgain();
            socket = listening;
        }
        acceptor = startAcceptor(listening);
    }

    /** Returns when no connection is accepted any more. */
    void close() {
        Thread accepting;
        synchronized (this) {
            accepting = acceptor;
            if (socket != null) {
                closeSocket(socket);
                socket = null;
            }
        }
        try {
            // The kernel accepts connections as long as a thread is inside accept(), closed socket or not.
            if (accepting != null) {
                accepting.join(TIMEOUT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Thread startAcceptor(ServerSocket listening) {
        Thread thread = new Thread(() -> accept(listening), "tcp-proxy-" + port + "-accept");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void accept(ServerSocket listening) {
        while (!listening.isClosed()) {
            try {
                accepted.accept(listening.accept());
            } catch (IOException e) {
                // closed: the loop ends
            }
        }
    }

    private ServerSocket bindAgain() {
        List<ServerSocket> bound = new ArrayList<>();
        Deadline.await(
                TIMEOUT,
                () -> {
                    try {
                        return bound.add(FreePort.listen(port));
                    } catch (IOException e) {
                        return false;
                    }
                },
                () -> "port " + port + " of the proxy was taken by somebody else while it was cut");
        return bound.get(0);
    }

    private static void closeSocket(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("could not stop listening on port " + socket.getLocalPort(), e);
        }
    }
}
