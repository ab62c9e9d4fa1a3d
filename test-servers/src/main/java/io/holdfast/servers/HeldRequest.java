package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A request, or the copy of one, that waits inside a {@link TcpProxy} until it is released. Thread safe. */
public final class HeldRequest extends RequestTrap {
    private final AtomicReference<@Nullable Runnable> delivery = new AtomicReference<>();

    HeldRequest(byte[] part) {
        super(part);
    }

    /**
     * Sends the request to the server, and returns when the server has answered. The client need not be connected any
     * more.
     */
    public void release() {
        if (!isSprung()) {
            throw new IllegalStateException("no request that contains " + this + " has come yet: awaitSprung first");
        }
        Runnable deliver = delivery.getAndSet(null);
        if (deliver == null) {
            throw new IllegalStateException("the request that contains " + this + " was released before");
        }
        deliver.run();
    }

    void hold(byte[] message, Runnable deliver) {
        delivery.set(deliver);
        spring(message);
    }

    /** Keeps the thread of a connection from going on until the test says so, and the test until that is done. */
    static final class Gate {
        private static final Duration TIMEOUT = Duration.ofSeconds(10);

        private final CountDownLatch opened = new CountDownLatch(1);
        private final CompletableFuture<Boolean> answered = new CompletableFuture<>();

        void awaitOpen() throws InterruptedException {
            opened.await();
        }

        void end(boolean wasAnswered) {
            answered.complete(wasAnswered);
        }

        void openAndAwaitAnswer() {
            opened.countDown();
            Deadline.await(TIMEOUT, answered::isDone, () -> "the server has not answered in " + TIMEOUT);
            if (!answered.join()) {
                throw new IllegalStateException("the connection to the server was closed before it answered");
            }
        }
    }
}
