package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something a {@link TcpProxy} will do, once, to the next request that contains certain bytes. Thread safe. */
public sealed class RequestTrap permits HeldRequest {
    private final byte[] part;
    private final CompletableFuture<byte[]> request = new CompletableFuture<>();

    RequestTrap(byte[] part) {
        if (part.length == 0) {
            throw new IllegalArgumentException("an empty text is part of every request: say what to look for");
        }
        this.part = part.clone();
    }

    /** Whether it has happened: the connection is cut, the request is held or copied. */
    public boolean isSprung() {
        return request.isDone();
    }

    /** Waits until it has happened, and returns the request. */
    public byte[] awaitSprung(Duration atMost) {
        try {
            return request.get(atMost.toNanos(), TimeUnit.NANOSECONDS).clone();
        } catch (TimeoutException e) {
            throw new IllegalStateException("no request that contains " + this + " came in " + atMost, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for a request that contains " + this + " failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a request that contains " + this, e);
        }
    }

    boolean matches(byte[] message) {
        for (int i = 0; i + part.length <= message.length; i++) {
            if (Arrays.equals(message, i, i + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }

    void spring(byte[] message) {
        request.complete(message.clone());
    }

    @Override
    public String toString() {
        return "'" + new String(part, UTF_8) + "'";
    }
}
