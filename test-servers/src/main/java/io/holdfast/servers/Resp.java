package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a Redis server, speaking RESP2, so that a test can give commands independent of the client library
 * it tests. Not thread safe.
 *
 * <p>A reply is a {@code String} (simple or bulk, as UTF-8), a {@code Long}, a {@code List} or null. An error reply is
 * thrown as {@link RespError}; inside a list it is an element.
 *
 * <pre>{@code
 * try (Resp redis = Resp.connect("127.0.0.1", server.port())) {
 *     redis.call("SUBSCRIBE", "news");
 *     Object message = redis.read();
 * }
 * }</pre>
 */
public final class Resp implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private Resp(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** Connects with a time-out of 5 s for the connection and for each reply. */
    public static Resp connect(String host, int port) {
        return connect(host, port, TIMEOUT, null);
    }

    static Resp connect(String host, int port, Duration timeout, @Nullable SSLContext tls) {
        Socket socket = new Socket();
        try {
            int millis = Math.toIntExact(timeout.toMillis());
            socket.connect(new InetSocketAddress(host, port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            if (tls == null) {
                return new Resp(socket);
            }
            return new Resp(tls.getSocketFactory().createSocket(socket, host, port, true));
        } catch (IOException e) {
            closeQuietly(socket);
            throw new UncheckedIOException("cannot connect to " + host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** Sends one command and reads one reply. */
    public @Nullable Object call(String... command) {
        send(command);
        return read();
    }

    /** Sends one command and leaves its reply to {@link #read()}. */
    public void send(String... command) {
        try {
            out.write(encode(command));
            out.flush();
        } catch (IOException e) {
            throw failure("could not send " + command[0] + " to", e);
        }
    }

    /** Reads the next reply or message. */
    public @Nullable Object read() {
        Object reply;
        try {
            reply = readReply();
        } catch (SocketTimeoutException e) {
            throw failure("no reply in time from", e);
        } catch (IOException e) {
            throw failure("connection lost while reading from", e);
        }
        if (reply instanceof RespError error) {
            throw error;
        }
        return reply;
    }

    /** Whether the server has closed this connection, or sent something nobody asked for. */
    boolean isStale() {
        try {
            int timeout = socket.getSoTimeout();
            socket.setSoTimeout(1);
            try {
                in.read();
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            } finally {
                socket.setSoTimeout(timeout);
            }
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    static byte[] encode(String... command) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(("*" + command.length + "\r\n").getBytes(UTF_8));
        for (String part : command) {
            byte[] value = part.getBytes(UTF_8);
            bytes.writeBytes(("$" + value.length + "\r\n").getBytes(UTF_8));
            bytes.writeBytes(value);
            bytes.writeBytes(new byte[] {'\r', '\n'});
        }
        return bytes.toByteArray();
    }

    private @Nullable Object readReply() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> new RespError(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> readBulk(Integer.parseInt(rest));
            case '*' -> readList(Integer.parseInt(rest));
            default -> throw new IOException("not a RESP2 reply: " + line);
        };
    }

    private @Nullable String readBulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("closed by the server inside a reply");
        }
        return new String(bytes, 0, length, UTF_8);
    }

    private @Nullable List<@Nullable Object> readList(int size) throws IOException {
        if (size < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(readReply());
        }
        return list;
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("closed by the server");
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        if (line.size() == 0) {
            throw new IOException("not a RESP2 reply: an empty line");
        }
        return line.toString(UTF_8);
    }

    private UncheckedIOException failure(String what, IOException cause) {
        return new UncheckedIOException(
                what + " " + socket.getRemoteSocketAddress() + ": " + cause.getMessage(), cause);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing of a connection is left to be saved when its close fails
        }
    }
}
