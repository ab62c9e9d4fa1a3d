package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Sends a copied request on a connection of its own. */
final class Replay {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int LONGEST_HANDSHAKE = 4096;
    private static final Set<String> HANDSHAKE = Set.of("AUTH", "HELLO", "SELECT");

    private Replay() {}

    /** Whether the requests that follow depend on this one having been made on the same connection. */
    static boolean isHandshake(byte[] request) {
        if (request.length > LONGEST_HANDSHAKE) {
            return false;
        }
        // "*2", "$4", "AUTH", ...
        String[] lines = new String(request, ISO_8859_1).split("\r\n", 4);
        return lines.length > 2 && HANDSHAKE.contains(lines[2].toUpperCase(Locale.ROOT));
    }

    /** Sends the requests and waits for as many replies. */
    static void send(InetSocketAddress server, List<byte[]> requests) {
        try (Socket socket = new Socket()) {
            socket.connect(server, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            for (byte[] request : requests) {
                socket.getOutputStream().write(request);
            }
            awaitReplies(socket.getInputStream(), requests.size());
        } catch (IOException e) {
            throw new UncheckedIOException("could not repeat a request at " + server + ": " + e.getMessage(), e);
        }
    }

    private static void awaitReplies(InputStream in, int expected) throws IOException {
        RespFrames frames = new RespFrames(true);
        byte[] buffer = new byte[4096];
        int replies = 0;
        while (replies < expected) {
            int length = in.read(buffer);
            if (length < 0) {
                throw new IOException("closed by the server after " + replies + " of " + expected + " replies");
            }
            replies += frames.add(buffer, length).size();
        }
    }
}
