package io.holdfast.redis;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A host that answers not even the first packet: nobody listens, and nobody refuses. */
public final class DeafHost implements AutoCloseable {
    private final ServerSocket silent;
    private final List<Socket> full = new ArrayList<>();

    private DeafHost(ServerSocket silent) {
        this.silent = silent;
    }

    /**
     * Such a host, as seen on one of its ports.
     *
     * @param port 0 for any that is free
     */
    public static DeafHost at(String address, int port) throws IOException {
        DeafHost host = new DeafHost(new ServerSocket());
        host.silent.bind(new InetSocketAddress(address, port), 1);
        for (int i = 0; i < 3; i++) {
            Socket socket = new Socket();
            host.full.add(socket);
            try {
                socket.connect(host.silent.getLocalSocketAddress(), 50);
            } catch (IOException e) {
                // the backlog is full, as it should be
            }
        }
        return host;
    }

    public int port() {
        return silent.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : full) {
            socket.close();
        }
        silent.close();
    }
}
