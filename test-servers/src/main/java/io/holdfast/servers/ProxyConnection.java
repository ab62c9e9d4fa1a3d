package io.holdfast.servers;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection and the one to the server that belongs to it.
 *
 * <p>Requests and replies are counted, so that it is known which reply belongs to a request: that is what lets a
 * connection be cut exactly between the two.
 */
final class ProxyConnection {
    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final ProxyLane requests;
    private final ProxyLane replies;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<byte[]> handshake = new CopyOnWriteArrayList<>();

    private long requestsForwarded;
    private long repliesArrived;
    private long cutAtReply = Long.MAX_VALUE;
    private @Nullable Runnable cut;
    private boolean holding;
    private volatile boolean clientGone;
    private volatile boolean closed;

    ProxyConnection(TcpProxy proxy, Socket client, Socket server) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        this.requests = new ProxyLane(client, server, proxy.requestFaults(), new Requests());
        this.replies = new ProxyLane(server, client, proxy.replyFaults(), new Replies());
    }

    void start() {
        start("requests-in", requests::read);
        start("requests-out", requests::write);
        start("replies-in", replies::read);
        start("replies-out", replies::write);
        if (closed) {
            // Meanwhile, perhaps before the last of them could be interrupted.
            threads.forEach(Thread::interrupt);
        }
    }

    private void start(String name, Runnable work) {
        Thread thread = proxy.newThread(name, work);
        threads.add(thread);
        thread.start();
    }

    boolean isClientConnected() {
        return !clientGone && !closed;
    }

    /** Closes the client's side, and the server's too unless a held request shall still get there. */
    void dropClient() {
        boolean keepServer;
        synchronized (this) {
            clientGone = true;
            keepServer = holding;
        }
        if (keepServer) {
            requests.discardQueued();
            close(client);
            proxy.replyFaults().wake();
        } else {
            close();
        }
    }

    void closeIfLossy() {
        if (requests.isLossy() || replies.isLossy()) {
            close();
        }
    }

    void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        close(client);
        close(server);
        threads.forEach(Thread::interrupt);
        proxy.forget(this);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is of no use any more, closed or not
        }
    }

    private synchronized long nextRequest() {
        return ++requestsForwarded;
    }

    private synchronized void cutAt(long reply, Runnable action) {
        cutAtReply = requests.isResp() ? reply : repliesArrived + 1;
        cut = action;
    }

    private synchronized @Nullable Runnable cutDue(long reply) {
        return reply >= cutAtReply ? cut : null;
    }

    private synchronized boolean awaitReply(long number) throws InterruptedException {
        while (repliesArrived < number && requests.isResp() && !closed) {
            wait();
        }
        return !closed;
    }

    private final class Requests implements ProxyLane.Route {
        @Override
        public boolean speaksResp(byte first) {
            return first == '*';
        }

        @Override
        public long arrived(byte[] bytes) {
            return proxy.countRequest();
        }

        @Override
        public void forward(ProxyLane.Message message) throws IOException, InterruptedException {
            byte[] bytes = message.bytes;
            long number = nextRequest();
            TcpProxy.Plan plan = proxy.planFor(bytes);
            if (plan == null) {
                send(bytes);
            } else {
                switch (plan.action()) {
                    case CUT -> sendThenCut(plan.trap(), bytes, number, proxy::cut);
                    case DROP_CONNECTION -> sendThenCut(plan.trap(), bytes, number, ProxyConnection.this::dropClient);
                    case HOLD -> hold((HeldRequest) plan.trap(), bytes, number);
                    case DUPLICATE -> {
                        send(bytes);
                        List<byte[]> before = List.copyOf(handshake);
                        ((HeldRequest) plan.trap()).hold(bytes, () -> proxy.replay(before, bytes));
                    }
                }
            }
            if (requests.isResp() && Replay.isHandshake(bytes)) {
                handshake.add(bytes);
            }
        }

        private void sendThenCut(RequestTrap trap, byte[] bytes, long number, Runnable action)
                throws IOException, InterruptedException {
            cutAt(number, () -> {
                action.run();
                trap.spring(bytes);
            });
            send(bytes);
        }

        private void hold(HeldRequest trap, byte[] bytes, long number) throws IOException, InterruptedException {
            HeldRequest.Gate gate = new HeldRequest.Gate();
            synchronized (ProxyConnection.this) {
                holding = true;
            }
            trap.hold(bytes, gate::openAndAwaitAnswer);
            boolean answered = false;
            try {
                gate.awaitOpen();
                send(bytes);
                answered = awaitReply(number);
            } finally {
                gate.end(answered);
                synchronized (ProxyConnection.this) {
                    holding = false;
                }
            }
        }

        private void send(byte[] bytes) throws IOException, InterruptedException {
            proxy.countBytesToServer(bytes.length);
            requests.send(bytes);
        }

        @Override
        public boolean isOver() {
            return closed;
        }

        @Override
        public void senderClosed() {
            clientGone = true;
            proxy.replyFaults().wake();
        }

        @Override
        public void ended() throws IOException {
            server.shutdownOutput();
        }

        @Override
        public void failed() {
            // The server is gone: the end of its replies says so to the client, unless a fault keeps that from it.
        }
    }

    private final class Replies implements ProxyLane.Route {
        @Override
        public boolean speaksResp(byte first) {
            return requests.isResp();
        }

        @Override
        public long arrived(byte[] bytes) {
            synchronized (ProxyConnection.this) {
                if (bytes[0] != '>') { // a push message of RESP3 answers nothing
                    repliesArrived++;
                    ProxyConnection.this.notifyAll();
                }
                return repliesArrived;
            }
        }

        @Override
        public void forward(ProxyLane.Message message) throws IOException, InterruptedException {
            Runnable due = cutDue(message.number);
            if (due != null) {
                due.run();
            } else if (!clientGone) {
                proxy.countBytesToClient(message.bytes.length);
                replies.send(message.bytes);
            }
        }

        @Override
        public boolean isOver() {
            return closed || clientGone;
        }

        @Override
        public void senderClosed() {
            // the client learns of it in its turn, after the replies before it
        }

        @Override
        public void ended() {
            close();
        }

        @Override
        public void failed() {
            dropClient();
        }
    }
}
