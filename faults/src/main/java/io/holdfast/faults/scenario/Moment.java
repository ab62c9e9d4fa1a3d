package io.holdfast.faults.scenario;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.stream.Collectors.toSet;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has connections end at an exact moment. The server is made to stand still; a request arrives, and a command to kill arrives
 * before or behind it; then the server goes on, carries out both in the order of their coming, in one turn of its loop, and
 * answers only after that. So a request can be carried out for certain, and its answer be lost for certain. Linux only, since
 * the system must tell what has arrived at a server that stands still.
 */
final class Moment {
    private static final Path SOCKETS = Path.of("/proc/net/tcp");
    private static final String HOST = "127.0.0.1";
    /** Less has a ping or a question about the topology, more has what runs a script. */
    private static final int LEAST_BYTES = 80;

    private Moment() {}

    static boolean isPossible() {
        return Files.isReadable(SOCKETS);
    }

    /**
     * Has a request carried out whose connection is killed before it is answered.
     *
     * @param mark part of a key that the request makes
     * @param begin sends it, and does not wait for the answer
     * @return whether it went like that: the connection was killed, and by then the key was there
     */
    static boolean loseReply(RedisServer server, String mark, Runnable begin) throws InterruptedException {
        try (Resp admin = admin(server)) {
            Set<String> clients = clients(admin);
            server.pause();
            try {
                begin.run();
                String address = awaitRequest(server.port(), clients);
                admin.send("CLIENT", "KILL", "ADDR", address);
                admin.send("KEYS", "*" + mark + "*");
            } finally {
                server.resume();
            }
            boolean killed = Long.valueOf(1).equals(admin.read());
            return killed && admin.read() instanceof List<?> keys && !keys.isEmpty();
        }
    }

    /**
     * Has a request carried out directly after all subscribers were cut off.
     *
     * @param begin sends it, and does not wait for the answer
     * @return when the server went on, by {@code System.nanoTime}
     */
    static long loseMessages(RedisServer server, Runnable begin) throws InterruptedException {
        try (Resp admin = admin(server)) {
            Set<String> clients = clients(admin);
            long resumed;
            server.pause();
            try {
                admin.send("CLIENT", "KILL", "TYPE", "pubsub");
                begin.run();
                awaitRequest(server.port(), clients);
            } finally {
                resumed = System.nanoTime();
                server.resume();
            }
            if (!(admin.read() instanceof Long killed) || killed == 0) {
                throw new IllegalStateException("nobody had subscribed");
            }
            return resumed;
        }
    }

    private static Resp admin(RedisServer server) {
        Resp admin = Resp.connect(HOST, server.port());
        admin.call("CLIENT", "SETNAME", RedisServer.ADMIN_NAME);
        return admin;
    }

    /** The addresses of those that are neither of this harness nor of a Sentinel. */
    private static Set<String> clients(Resp admin) {
        return String.valueOf(admin.call("CLIENT", "LIST", "TYPE", "normal"))
                .lines()
                .map(line -> line.split(" ", -1))
                .filter(words -> word(words, "name=")
                        .filter(name -> !name.equals(RedisServer.ADMIN_NAME) && !name.startsWith("sentinel-"))
                        .isPresent())
                .map(words -> word(words, "addr=").orElseThrow())
                .collect(toSet());
    }

    private static Optional<String> word(String[] words, String start) {
        return Arrays.stream(words)
                .filter(each -> each.startsWith(start))
                .map(each -> each.substring(start.length()))
                .findFirst();
    }

    /** Who has sent something that the server has not read yet. */
    private static String awaitRequest(int port, Collection<String> clients) throws InterruptedException {
        long end = System.nanoTime() + Bench.PATIENCE.toNanos();
        while (System.nanoTime() - end < 0) {
            Optional<String> sender = sender(port, clients);
            if (sender.isPresent()) {
                return sender.get();
            }
            Thread.sleep(1);
        }
        throw new IllegalStateException("no request came to port " + port + " in " + Bench.PATIENCE);
    }

    /** Columns: number, own address, the other's, state, bytes to be sent and to be read; all in hexadecimal. */
    private static Optional<String> sender(int port, Collection<String> clients) {
        List<String> lines;
        try {
            lines = Files.readAllLines(SOCKETS, US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot see what has arrived", e);
        }
        return lines.stream()
                .skip(1)
                .map(line -> line.trim().split("\\s+", -1))
                .filter(words -> portOf(words[1]) == port && unread(words[4]) >= LEAST_BYTES)
                .map(words -> HOST + ":" + portOf(words[2]))
                .filter(clients::contains)
                .findFirst();
    }

    private static int portOf(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }

    private static long unread(String queues) {
        return Long.parseLong(queues.substring(queues.indexOf(':') + 1), 16);
    }
}
