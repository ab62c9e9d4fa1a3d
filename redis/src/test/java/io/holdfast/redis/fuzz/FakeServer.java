package io.holdfast.redis.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Listens like a Redis, and answers what a test wants. */
final class FakeServer implements AutoCloseable {

    /** What becomes of an answer. */
    interface Manner {
        /**
         * Answers a command.
         *
         * @param good what a server would say
         * @throws IOException to have the connection closed
         */
        void answer(List<String> command, byte[] good, OutputStream out) throws IOException;
    }

    static final Manner WELL = (command, good, out) -> out.write(good);

    private final ServerSocket listener;
    private final ToyRedis redis = new ToyRedis();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile Manner manner = WELL;

    FakeServer() {
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("fake-server", this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + port();
    }

    int port() {
        return listener.getLocalPort();
    }

    void behave(Manner next) {
        manner = next;
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                connections.add(socket);
                start("fake-connection", () -> serve(socket));
            }
        } catch (IOException e) {
            // Closed: the test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            while (true) {
                List<String> command = read(in);
                manner.answer(command, redis.answer(command), out);
                out.flush();
            }
        } catch (IOException e) {
            // The client has hung up, or is to find that the server has.
        } finally {
            connections.remove(socket);
        }
    }

    private static List<String> read(DataInputStream in) throws IOException {
        int parts = number(in);
        List<String> command = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            byte[] part = new byte[number(in)];
            in.readFully(part);
            in.skipBytes(2);
            command.add(new String(part, UTF_8));
        }
        return command;
    }

    /** A line such as *3 or $12. */
    private static int number(DataInputStream in) throws IOException {
        int value = 0;
        in.readByte();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            value = c == '\r' ? value : 10 * value + c - '0';
        }
        return value;
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
