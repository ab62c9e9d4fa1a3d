package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.OptionalLong;

/** Asks a server on the loopback address whether it is the one we know the password of. */
final class RedisPing {
    private RedisPing() {}

    /** The server's process id; empty if it does not answer in time, or refuses the password. */
    static OptionalLong pid(int port, String password, Duration atMost) {
        try (Socket socket = new Socket()) {
            int millis = Math.toIntExact(atMost.toMillis());
            socket.connect(loopback(port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            socket.getOutputStream()
                    .write(("AUTH " + password + "\r\nPING\r\nINFO server\r\nQUIT\r\n").getBytes(US_ASCII));
            BufferedReader replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            if (!"+OK".equals(replies.readLine()) || !"+PONG".equals(replies.readLine())) {
                return OptionalLong.empty();
            }
            for (String line = replies.readLine(); line != null; line = replies.readLine()) {
                if (line.startsWith("process_id:")) {
                    return OptionalLong.of(Long.parseLong(line.substring("process_id:".length())));
                }
            }
            return OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    static InetSocketAddress loopback(int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
