package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Connects to one server over TCP, within the time-out for connecting. Jedis by itself exceeds it: it waits for the addresses
 * of a name for as long as the machine takes to find them out, and then gives each of them the whole time.
 */
final class Connector {
    private static final String UP_TO_255 = "(25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})";

    /** What is an address already: nobody has to be asked for it. */
    private static final Pattern ADDRESS =
            Pattern.compile(".*:.*|" + UP_TO_255 + "(\\." + UP_TO_255 + "){3}", Pattern.DOTALL);

    /** Finds out the addresses of a host; may block. */
    interface Resolver {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private final RedisUri uri;
    private final Platform platform;
    private final Resolver resolver;

    /** What the resolver is being asked: one that hangs keeps one thread, however many wait for its answer. */
    private final AtomicReference<@Nullable CompletableFuture<List<InetAddress>>> asked = new AtomicReference<>();

    Connector(RedisUri uri, Platform platform) {
        this(uri, platform, InetAddress::getAllByName);
    }

    Connector(RedisUri uri, Platform platform, Resolver resolver) {
        this.uri = uri;
        this.platform = platform;
        this.resolver = resolver;
    }

    /** Connects, or fails with an exception of Jedis. The handshake of TLS is left to whoever first writes or reads. */
    Socket connect(Duration timeout) {
        int millis = Math.toIntExact(Math.max(1, timeout.toMillis()));
        long deadline = platform.nanoTime() + 1_000_000L * millis;
        List<InetAddress> addresses = new ArrayList<>(addresses(deadline, millis));
        // Not always the same first: it may be one that connects, and then does not answer.
        Collections.rotate(addresses, (int) platform.random(addresses.size()));
        Socket socket = connect(addresses, deadline);
        try {
            socket.setSoTimeout(millis);
            return uri.tls() ? overTls(socket) : socket;
        } catch (IOException | RuntimeException e) {
            close(socket);
            throw new JedisConnectionException("Failed to create socket.", e);
        }
    }

    /** To the first that answers; each has an equal share of the time that those before it have left. */
    private Socket connect(List<InetAddress> addresses, long deadline) {
        JedisConnectionException failure = new JedisConnectionException("Failed to connect to " + uri.server() + ".");
        int left = addresses.size();
        for (InetAddress address : addresses) {
            long share = (deadline - platform.nanoTime()) / left--;
            Socket socket = new Socket();
            try {
                socket.setReuseAddress(true);
                socket.setKeepAlive(true);
                socket.setTcpNoDelay(true);
                // What is dropped is gone at once.
                socket.setSoLinger(true, 0);
                socket.connect(
                        new InetSocketAddress(address, uri.port()), Math.toIntExact(Math.max(1, share / 1_000_000)));
                return socket;
            } catch (IOException | RuntimeException e) {
                close(socket);
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    /** With the name that was asked for, not with an address of it: it is what the certificate has to be for. */
    private SSLSocket overTls(Socket plain) throws IOException {
        Tls how = uri.how();
        SSLSocketFactory sockets = how == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : how.sockets();
        SSLSocket socket = (SSLSocket) sockets.createSocket(plain, uri.host(), uri.port(), true);
        socket.setSSLParameters(how == null ? Tls.ofTheJvm() : how.parameters());
        return socket;
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was to be thrown away, and nobody has used it yet.
        }
    }

    // --- the addresses of a name

    private List<InetAddress> addresses(long deadline, int millis) {
        try {
            if (ADDRESS.matcher(uri.host()).matches()) {
                return List.of(InetAddress.getByName(uri.host()));
            }
            CompletableFuture<List<InetAddress>> answer = ask();
            await(answer, deadline);
            if (!answer.isDone()) {
                throw new SocketTimeoutException("its address was not found out within " + millis + " ms");
            }
            return answer.join();
        } catch (CompletionException e) {
            throw unresolved(e.getCause());
        } catch (IOException e) {
            throw unresolved(e);
        }
    }

    private JedisConnectionException unresolved(@Nullable Throwable why) {
        return new JedisConnectionException("Failed to resolve " + uri.host() + ".", why);
    }

    /** On a thread of its own, since nothing else bounds how long it takes. */
    private CompletableFuture<List<InetAddress>> ask() {
        CompletableFuture<List<InetAddress>> own = new CompletableFuture<>();
        CompletableFuture<List<InetAddress>> present = asked.compareAndExchange(null, own);
        if (present != null) {
            return present;
        }
        boolean begun = false;
        try {
            platform.callbacks().execute(() -> resolve(own));
            begun = true;
        } finally {
            if (!begun) {
                asked.set(null);
            }
        }
        return own;
    }

    private void resolve(CompletableFuture<List<InetAddress>> answer) {
        List<InetAddress> found = List.of();
        Throwable failed = null;
        try {
            found = List.of(resolver.addresses(uri.host()));
        } catch (Throwable e) {
            // Whatever it is, those who wait are to hear of it.
            failed = e;
        }
        // Whoever comes from now on asks anew.
        asked.set(null);
        if (failed == null) {
            answer.complete(found);
        } else {
            answer.completeExceptionally(failed);
        }
    }

    /** Waits for the answer, and not beyond the deadline. An interrupt is kept for whoever decides what it ends. */
    private void await(CompletableFuture<?> answer, long deadline) {
        Object caller = platform.currentThread();
        answer.whenComplete((found, failed) -> platform.unpark(caller));
        boolean interrupted = false;
        for (long left = deadline - platform.nanoTime();
                left > 0 && !answer.isDone();
                left = deadline - platform.nanoTime()) {
            platform.park(left);
            interrupted |= platform.interrupted();
        }
        if (interrupted) {
            platform.interrupt(caller);
        }
    }
}
