package io.holdfast.redis;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;

/**
 * A socket that knows whether anything was received that nobody has asked for yet. Jedis reads ahead into a buffer of its
 * own, where such bytes would wait unseen to be taken for the next reply; so it is handed one byte at a time, and what is
 * ahead stays here. Only what Jedis uses is passed on.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread reads at a time, and closing must not wait for it
final class ExactSocket extends Socket {
    private final Socket socket;
    private final InputStream in;

    ExactSocket(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new OneByOne(socket.getInputStream());
    }

    /** Whether something is there to be read. */
    boolean hasUnread() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    private static final class OneByOne extends BufferedInputStream {
        OneByOne(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int next = length == 0 ? 0 : read();
            if (next >= 0 && length > 0) {
                into[offset] = (byte) next;
            }
            return next < 0 ? -1 : Math.min(1, length);
        }
    }

    @Override
    public InputStream getInputStream() {
        return in;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return socket.getOutputStream();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        socket.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return socket.getSoTimeout();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return socket.getLocalSocketAddress();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return socket.getRemoteSocketAddress();
    }

    @Override
    public boolean isBound() {
        return socket.isBound();
    }

    @Override
    public boolean isConnected() {
        return socket.isConnected();
    }

    @Override
    public boolean isClosed() {
        return socket.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return socket.isOutputShutdown();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    @Override
    public String toString() {
        return socket.toString();
    }
}
