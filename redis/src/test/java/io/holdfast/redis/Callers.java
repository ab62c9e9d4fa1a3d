package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.RedisLink;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import redis.clients.jedis.Protocol;

/** Threads that call over one wire. */
final class Callers {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Wire wire;

    Callers(Wire wire) {
        this.wire = wire;
    }

    /** One of them, and what came of its call. */
    record Caller(Thread thread, CompletableFuture<RedisLink.Answer> outcome, CompletableFuture<Boolean> interrupted) {
        RedisLink.Answer answer() {
            try {
                return outcome.get(30, TimeUnit.SECONDS);
            } catch (ExecutionException | InterruptedException | TimeoutException e) {
                throw new AssertionError(thread.getName() + " got no answer", e);
            }
        }

        String text() {
            return Callers.text(answer());
        }

        Throwable failure() {
            try {
                throw new AssertionError(thread.getName() + " got " + outcome.get(30, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                return requireNonNull(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError(thread.getName() + " did not end", e);
            }
        }
    }

    static String text(RedisLink.Answer answer) {
        return new String((byte[]) answer.value(), UTF_8);
    }

    static Request echo(String text) {
        return Request.of(Protocol.Command.ECHO, text.getBytes(UTF_8));
    }

    /** Calls on a thread of its own. */
    Caller start(Duration timeout, String name, Request request) {
        CompletableFuture<RedisLink.Answer> outcome = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        outcome.complete(wire.call(timeout, request));
                    } catch (Throwable e) {
                        outcome.completeExceptionally(e);
                    } finally {
                        interrupted.complete(Thread.currentThread().isInterrupted());
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return new Caller(thread, outcome, interrupted);
    }

    Caller start(Request request) {
        return start(LONG, "caller", request);
    }

    /** Calls on a thread of its own, and returns when it waits: behind all those that waited before it. */
    Caller queue(Duration timeout, Request request) {
        Caller caller = start(timeout, "queued caller", request);
        until(() -> caller.thread().getState() == Thread.State.TIMED_WAITING);
        return caller;
    }

    Caller queue(Request request) {
        return queue(LONG, request);
    }

    Caller queue(String echo) {
        return queue(echo(echo));
    }
}
