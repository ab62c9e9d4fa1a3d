package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockInfo.Party;
import io.holdfast.spi.Origin;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says who this client is, at a key of its own, for people who look at its locks. An owner id names the client, so one key for
 * each client tells where all of its holders and waiters run, and no lock costs more than without it.
 *
 * <p>It is said when the client first asks for a lock, again every third of the key's life, and taken back at the end. Nothing
 * depends on it: what fails is left to the next time, and logged once.
 */
final class Introduction {
    /** Outlives a holder that has crashed for a while, as its locks may. */
    static final Duration LIFE = Duration.ofMinutes(5);

    /** So many are asked about in one go. */
    private static final int TOGETHER = 64;

    private static final Pattern TEXT = Pattern.compile("hf1 ([0-9]{1,18}) (\\S{1,100}) (.{1,100})");
    private static final Logger log = LoggerFactory.getLogger("io.holdfast.redis.introduction");

    private final Platform platform;
    private final @Nullable Origin origin;
    private final String key;
    private final Duration timeout;
    private final Function<String[], CompletionStage<?>> server;

    /** Held while something is sent in the background: what takes it back comes last. */
    private final Object order = new Object();

    private volatile boolean begun;
    private volatile boolean closed;
    // Guarded by this.
    private Platform.@Nullable Timer next;
    private boolean complained;

    /** @param server sends a command about the key to the server that has it */
    Introduction(StoreContext context, Keys keys, Function<String[], CompletionStage<?>> server) {
        this.platform = context.platform();
        this.origin = context.origin().orElse(null);
        this.key = keys.client(context.clientId());
        this.timeout = context.commandTimeout();
        this.server = server;
        this.begun = origin == null;
    }

    /** Whether there is nothing to begin with. */
    boolean hasBegun() {
        return begun;
    }

    /** True for the first who asks: it is to say it now, with {@link #command}. */
    synchronized boolean begins() {
        if (begun || closed) {
            return false;
        }
        begun = true;
        next = platform.schedule(LIFE.toNanos() / 3, this::again);
        return true;
    }

    /** Nothing could be said: whoever comes next begins anew. */
    synchronized void failed() {
        begun = false;
        if (next != null) {
            next.cancel();
        }
    }

    String[] command() {
        return new String[] {"SET", key, text(requireNonNull(origin, "origin")), "PX", Long.toString(LIFE.toMillis())};
    }

    /** As it is written down. */
    static String text(Origin origin) {
        return "hf1 " + origin.processId() + " " + origin.host() + " " + origin.application();
    }

    /** Says it in the background. */
    void say() {
        platform.callbacks().execute(() -> {
            synchronized (order) {
                if (!closed) {
                    said(send(command()));
                }
            }
        });
    }

    private CompletionStage<?> send(String... command) {
        try {
            return server.apply(command);
        } catch (StoreFailure e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void again() {
        synchronized (this) {
            if (closed) {
                return;
            }
            next = platform.schedule(LIFE.toNanos() / 3, this::again);
        }
        say();
    }

    /** What came of it; one that is refused will be refused again, and is worth a line. */
    void said(CompletionStage<?> answer) {
        answer.whenComplete((done, error) -> {
            if (error == null || StoreFailure.of(error).kind() != StoreFailure.Kind.REFUSED) {
                return;
            }
            synchronized (this) {
                if (complained) {
                    return;
                }
                complained = true;
            }
            log.info(
                    "where this client runs cannot be told to those who look at its locks; they work all the same: {}",
                    StoreFailure.of(error).reason());
        });
    }

    /** Takes it back, if it was said. May wait for the server, for as long as one command may take. */
    void close() {
        synchronized (this) {
            closed = true;
            if (next != null) {
                next.cancel();
            }
        }
        if (origin == null || !begun) {
            return;
        }
        if (platform.mayBlockHere()) {
            takeBack();
            return;
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        platform.callbacks().execute(() -> {
            takeBack();
            done.complete(null);
        });
        long until = platform.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        while (!done.isDone() && platform.nanoTime() - until < 0) {
            platform.park(1_000_000);
            interrupted |= platform.interrupted();
        }
        if (interrupted) {
            platform.interrupt(platform.currentThread());
        }
    }

    private void takeBack() {
        synchronized (order) {
            // If it fails, the key goes by itself.
            said(send("DEL", key));
        }
    }

    // --- looking

    /** What stands at such a key; nothing if it was not written by this library. */
    static Optional<Origin> read(@Nullable String text) {
        Matcher parts = TEXT.matcher(text == null ? "" : text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Origin(parts.group(2), Long.parseLong(parts.group(1)), parts.group(3)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * The locks, with where those run who hold them and wait for them, as far as that can be read.
     *
     * @param ask sends commands, each about one key, and answers each
     */
    static List<LockInfo> locate(
            List<LockInfo> locks, Keys keys, Function<List<String[]>, List<CompletionStage<RedisLink.Answer>>> ask) {
        Set<String> clients = new LinkedHashSet<>();
        locks.forEach(lock -> Stream.concat(lock.holders().stream(), lock.line().stream())
                .map(Party::client)
                .flatMap(Optional::stream)
                .forEach(clients::add));
        Map<String, Optional<Origin>> known = new HashMap<>();
        List<String> all = new ArrayList<>(clients);
        boolean reachable = true;
        for (int from = 0; from < all.size() && reachable; from += TOGETHER) {
            List<String> some = all.subList(from, Math.min(from + TOGETHER, all.size()));
            List<CompletionStage<RedisLink.Answer>> answers = ask.apply(some.stream()
                    .map(client -> new String[] {"GETRANGE", keys.client(client), "0", Inspection.LONGEST_VALUE})
                    .toList());
            for (int i = 0; i < some.size(); i++) {
                try {
                    RedisLink.Answer answer =
                            answers.get(i).toCompletableFuture().join();
                    known.put(some.get(i), read(answer.value() == null ? null : Reply.text(answer.value())));
                } catch (RuntimeException e) {
                    // Nobody is told less about the locks for it. But a server that does not answer is not asked on.
                    reachable &= StoreFailure.of(e).kind() == StoreFailure.Kind.REFUSED;
                }
            }
        }
        return locks.stream()
                .map(lock -> lock.located(client -> known.getOrDefault(client, Optional.empty())))
                .toList();
    }
}
