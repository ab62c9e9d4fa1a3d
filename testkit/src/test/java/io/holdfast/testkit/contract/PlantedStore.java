package io.holdfast.testkit.contract;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The store in memory with one mistake, of the kind that real stores have had. */
final class PlantedStore implements StoreFactory {

    enum Mistake {
        /** Two holders. */
        GRANTS_WHAT_IS_HELD,
        /** Whoever releases, the lock is free. */
        RELEASES_WITHOUT_COMPARING,
        /** The owner is taken for released if its id begins alike. */
        COMPARES_BY_PREFIX,
        /** A lock that has expired comes back with a renewal. */
        RENEWS_WHAT_IS_GONE,
        /** The repetition of an acquire is answered as before, and the expiry left as it was. */
        REPEATS_WITHOUT_RENEWING,
        /** The repetition of an acquire is taken for another one. */
        NEW_TOKEN_FOR_A_REPETITION,
        /** Not a fencing token. */
        SAME_TOKEN_FOR_ALL,
        /** Who gives up waiting is still served. */
        KEEPS_TICKETS,
        /** One lease that is gone spoils the batch. */
        LOSES_THE_WHOLE_BATCH
    }

    private final StoreFactory inner = MemoryStore.isolated();
    private final Mistake mistake;
    private final AtomicLong tokens = new AtomicLong(1_000_000);
    private final Map<String, AcquireReply> answered = new ConcurrentHashMap<>();

    PlantedStore(Mistake mistake) {
        this.mistake = mistake;
    }

    @Override
    public LockStore open(StoreContext context) {
        LockStore store = inner.open(context);
        return (LockStore) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "acquire" -> answer(acquire(store, (AcquireRequest) args[0]), args);
                    case "release" -> release(store, (String) args[0], (String) args[1]);
                    case "renew" -> CompletableFuture.completedFuture(renew(store, method, args));
                    default -> plain(store, method, args);
                });
    }

    /** Told to whom it may concern, or returned. */
    @SuppressWarnings("unchecked")
    private static CompletableFuture<AcquireReply> answer(AcquireReply reply, Object[] args) {
        CompletableFuture<AcquireReply> told =
                args.length > 1 ? (CompletableFuture<AcquireReply>) args[1] : new CompletableFuture<>();
        told.complete(reply);
        return told;
    }

    private AcquireReply acquire(LockStore store, AcquireRequest request) {
        AcquireReply before = answered.get(request.owner());
        if (mistake == Mistake.REPEATS_WITHOUT_RENEWING && before != null) {
            return before;
        }
        AcquireReply reply = join(store.acquire(request));
        if (mistake == Mistake.GRANTS_WHAT_IS_HELD && !(reply instanceof AcquireReply.Granted)) {
            return new AcquireReply.Granted(tokens.incrementAndGet());
        }
        if (!(reply instanceof AcquireReply.Granted)) {
            return reply;
        }
        answered.put(request.owner(), reply);
        return switch (mistake) {
            case SAME_TOKEN_FOR_ALL -> new AcquireReply.Granted(1);
            case NEW_TOKEN_FOR_A_REPETITION -> new AcquireReply.Granted(tokens.incrementAndGet());
            default -> reply;
        };
    }

    private Object release(LockStore store, String name, String owner) {
        for (LockInfo lock : join(store.inspect(name))) {
            String holder = lock.owner().orElse("");
            if (mistake == Mistake.RELEASES_WITHOUT_COMPARING
                    || (mistake == Mistake.COMPARES_BY_PREFIX && holder.startsWith(owner))) {
                return store.release(name, holder);
            }
            if (mistake == Mistake.KEEPS_TICKETS && lock.waiters().contains(owner)) {
                return CompletableFuture.completedFuture(ReleaseReply.NOT_OWNER);
            }
        }
        return store.release(name, owner);
    }

    private List<RenewReply> renew(LockStore store, Method method, Object[] args) throws Throwable {
        @SuppressWarnings("unchecked")
        List<RenewItem> items = (List<RenewItem>) args[0];
        @SuppressWarnings("unchecked")
        List<RenewReply> replies = join((CompletionStage<List<RenewReply>>) plain(store, method, args));
        boolean gone = replies.stream().anyMatch(RenewReply.Gone.class::isInstance);
        if (mistake == Mistake.LOSES_THE_WHOLE_BATCH && gone) {
            return items.stream().<RenewReply>map(item -> new RenewReply.Gone()).toList();
        }
        if (mistake == Mistake.RENEWS_WHAT_IS_GONE && gone) {
            RenewItem item = items.get(0);
            join(store.acquire(new AcquireRequest(item.name(), item.owner(), item.lease(), false)));
            return List.of(new RenewReply.Renewed());
        }
        return replies;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static Object plain(LockStore store, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(store, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
