package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A network that fails on command: a proxy on the loopback address in front of a server. Thread safe.
 *
 * <pre>{@code
 * try (TcpProxy proxy = TcpProxy.to(redis.port())) {
 *     RequestTrap trap = proxy.dropConnectionAfterNextRequestContaining("order:42");
 *     client(proxy.port()).acquire("order:42");     // done by the server, its reply is lost
 *     trap.awaitSprung(ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>A fault holds for all connections, present and future, until it is switched off or {@link #restore()} ends all of
 * them. Requests and replies are whole RESP messages where the client speaks RESP; of any other protocol (TLS too) they
 * are pieces as they come from the network.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final LaneFaults requestFaults = new LaneFaults();
    private final LaneFaults replyFaults = new LaneFaults();
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Plan> plans = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytesToServer = new AtomicLong();
    private final AtomicLong bytesToClient = new AtomicLong();
    private final AtomicLong requestsSeen = new AtomicLong();
    private final AtomicLong connectionsAccepted = new AtomicLong();
    private final ProxyListener listener;
    private volatile InetSocketAddress target;
    private volatile boolean closed;

    private TcpProxy(InetSocketAddress target) {
        this.target = target;
        this.listener = new ProxyListener(this::connect);
    }

    /** What to do with the next request that the trap matches. */
    record Plan(RequestTrap trap, Action action) {}

    enum Action {
        CUT,
        DROP_CONNECTION,
        HOLD,
        DUPLICATE
    }

    /** A proxy to a port of this machine. */
    public static TcpProxy to(int port) {
        return to("127.0.0.1", port);
    }

    public static TcpProxy to(String host, int port) {
        TcpProxy proxy = new TcpProxy(new InetSocketAddress(host, port));
        proxy.listener.open();
        return proxy;
    }

    public int port() {
        return listener.port();
    }

    /** Sends new connections elsewhere, as a change in the DNS does; present ones stay where they are. */
    public void retarget(String host, int port) {
        target = new InetSocketAddress(host, port);
    }

    /** Closes all connections and refuses new ones. */
    public void cut() {
        listener.close();
        dropConnections();
    }

    /** Closes the present connections; new ones are welcome. */
    public void dropConnections() {
        // A copy: a client that connects again at once is welcome.
        List.copyOf(connections).forEach(ProxyConnection::dropClient);
    }

    /** Forwards nothing in either direction, not even the end of a connection; accepts new connections. */
    public void stall() {
        requestFaults.stall();
        replyFaults.stall();
    }

    /**
     * Ends every fault. What was stalled or delayed flows at once; a connection that lost bytes is closed; traps that
     * have not sprung are gone. A held request is still held.
     */
    public void restore() {
        plans.clear();
        requestFaults.end();
        replyFaults.end();
        connections.forEach(ProxyConnection::closeIfLossy);
        if (!closed) {
            listener.open();
        }
    }

    /** Lets each request arrive that much later; zero ends it. */
    public void delayRequests(Duration delay) {
        requestFaults.delay(delay);
    }

    /** Lets each reply arrive that much later; zero ends it. */
    public void delayReplies(Duration delay) {
        replyFaults.delay(delay);
    }

    /** Lets requests and replies arrive that much later each; zero ends it. */
    public void delay(Duration eachWay) {
        delayRequests(eachWay);
        delayReplies(eachWay);
    }

    /**
     * Swallows what clients send, also that they close. When it is switched off, the connections that lost something
     * are closed: no TCP connection goes on after a gap.
     */
    public void dropRequests(boolean on) {
        drop(requestFaults, on);
    }

    /** Swallows what the server sends, in the same way. */
    public void dropReplies(boolean on) {
        drop(replyFaults, on);
    }

    private void drop(LaneFaults faults, boolean on) {
        faults.drop(on);
        if (!on) {
            connections.forEach(ProxyConnection::closeIfLossy);
        }
    }

    /** Lets replies through at that pace; zero ends it. */
    public void dripReplies(int bytesPerSecond) {
        replyFaults.drip(bytesPerSecond);
    }

    /**
     * Forwards the next such request, waits until the server has answered it, and then does as {@link #cut()} does: it
     * is done, and the client does not know. Replies to earlier requests arrive. (On a connection with subscriptions the
     * reply cannot be told from a message, and whatever comes first counts.)
     */
    public RequestTrap cutAfterNextRequestContaining(String part) {
        return cutAfterNextRequestContaining(part.getBytes(UTF_8));
    }

    public RequestTrap cutAfterNextRequestContaining(byte[] part) {
        return plan(new RequestTrap(part), Action.CUT);
    }

    /** The same, but only this one connection is closed, and the client may connect again at once. */
    public RequestTrap dropConnectionAfterNextRequestContaining(String part) {
        return plan(new RequestTrap(part.getBytes(UTF_8)), Action.DROP_CONNECTION);
    }

    /**
     * Keeps the next such request, and with it all that follows on its connection. The connection to the server stays
     * open for it, whatever becomes of the client's.
     */
    public HeldRequest holdNextRequestContaining(String part) {
        return plan(new HeldRequest(part.getBytes(UTF_8)), Action.HOLD);
    }

    /**
     * Forwards the next such request and keeps a copy, which is sent once more when released: on a connection of its
     * own, after the AUTH, HELLO and SELECT of the first one.
     */
    public HeldRequest duplicateNextRequestContaining(String part) {
        return plan(new HeldRequest(part.getBytes(UTF_8)), Action.DUPLICATE);
    }

    private <T extends RequestTrap> T plan(T trap, Action action) {
        plans.add(new Plan(trap, action));
        return trap;
    }

    /** Bytes forwarded to the server. */
    public long bytesToServer() {
        return bytesToServer.get();
    }

    /** Bytes forwarded to clients. */
    public long bytesToClient() {
        return bytesToClient.get();
    }

    /** Requests that came from clients, forwarded or not. */
    public long requestsSeen() {
        return requestsSeen.get();
    }

    /** Connections that clients have opened since the start. */
    public long connectionsAccepted() {
        return connectionsAccepted.get();
    }

    /** Connections that clients have open now. */
    public int openConnections() {
        return (int)
                connections.stream().filter(ProxyConnection::isClientConnected).count();
    }

    /** Closes everything, held requests too, and waits for the proxy's threads to end. */
    @Override
    public void close() {
        closed = true;
        listener.close();
        connections.forEach(ProxyConnection::close);
        Deadline.await(
                CLOSE_TIMEOUT,
                () -> threads.stream().noneMatch(Thread::isAlive),
                () -> "threads of the proxy on port " + port() + " did not end: " + threads);
    }

    private void connect(Socket client) {
        connectionsAccepted.incrementAndGet();
        try {
            client.setTcpNoDelay(true);
            ProxyConnection connection = new ProxyConnection(this, client, connectToTarget());
            connections.add(connection);
            connection.start();
        } catch (IOException e) {
            reset(client);
        }
    }

    private Socket connectToTarget() throws IOException {
        Socket server = new Socket();
        try {
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
            return server;
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    /** Answers as the machine of a server that is not there. */
    private static void reset(Socket client) {
        try {
            client.setSoLinger(true, 0);
            client.close();
        } catch (IOException e) {
            // gone already
        }
    }

    @Nullable
    Plan planFor(byte[] request) {
        for (Plan plan : plans) {
            if (plan.trap().matches(request) && plans.remove(plan)) {
                return plan;
            }
        }
        return null;
    }

    void replay(List<byte[]> handshake, byte[] request) {
        List<byte[]> all = new ArrayList<>(handshake);
        all.add(request);
        Replay.send(target, all);
    }

    void forget(ProxyConnection connection) {
        connections.remove(connection);
    }

    LaneFaults requestFaults() {
        return requestFaults;
    }

    LaneFaults replyFaults() {
        return replyFaults;
    }

    long countRequest() {
        return requestsSeen.incrementAndGet();
    }

    void countBytesToServer(int bytes) {
        bytesToServer.addAndGet(bytes);
    }

    void countBytesToClient(int bytes) {
        bytesToClient.addAndGet(bytes);
    }

    Thread newThread(String name, Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy-" + port() + "-" + name);
        thread.setDaemon(true);
        // Not removed by the thread itself: it would still run for a moment when close() has returned.
        threads.removeIf(earlier -> earlier.getState() == Thread.State.TERMINATED);
        threads.add(thread);
        return thread;
    }
}
