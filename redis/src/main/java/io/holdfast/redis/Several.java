package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Several locks in one script: each is taken and given up as one alone is. */
final class Several {
    private final RedisLink link;
    private final Keys keys;
    private final StoreContext context;
    private final Duration timeout;
    private final ServerClock serverClock;
    private final Unanswered unanswered;
    private final Verdicts verdicts;
    private final BiConsumer<String, String> giveUp;
    private final BooleanSupplier isReady;
    private final Supplier<CompletionStage<RedisLink.Answer>> prepare;

    /**
     * Several.
     *
     * @param giveUp releases a lock in the background, by its name and owner
     * @param isReady whether there is nothing to do before the first request
     * @param prepare does it
     */
    Several(
            RedisLink link,
            Keys keys,
            StoreContext context,
            Duration timeout,
            ServerClock serverClock,
            Unanswered unanswered,
            Verdicts verdicts,
            BiConsumer<String, String> giveUp,
            BooleanSupplier isReady,
            Supplier<CompletionStage<RedisLink.Answer>> prepare) {
        this.link = link;
        this.keys = keys;
        this.context = context;
        this.timeout = timeout;
        this.serverClock = serverClock;
        this.unanswered = unanswered;
        this.verdicts = verdicts;
        this.giveUp = giveUp;
        this.isReady = isReady;
        this.prepare = prepare;
    }

    CompletionStage<List<AcquireReply>> acquire(List<AcquireRequest> requests, boolean part) {
        ServerClock.Moment sent = now();
        Ask ask = new Ask(requests, part, sent.nanos() + timeout.toNanos(), true, false);
        return isReady.getAsBoolean() ? send(ask) : prepare.get().thenCompose(known -> send(ask));
    }

    /**
     * @param first whether no attempt was too late yet
     * @param repeated whether an attempt before may have been carried out
     */
    private record Ask(List<AcquireRequest> requests, boolean part, long deadline, boolean first, boolean repeated) {}

    private CompletionStage<List<AcquireReply>> send(Ask ask) {
        ServerClock.Moment sent = now();
        Duration left = Duration.ofMillis(Math.max(1, (ask.deadline() - sent.nanos() + 999_999) / 1_000_000));
        long notAfter = serverClock.at(sent.nanos()) + left.toNanos() / 1_000;
        List<String> scriptKeys = new ArrayList<>(1 + 4 * ask.requests().size());
        List<String> args = new ArrayList<>(3 + 5 * ask.requests().size());
        scriptKeys.add(keys.fence(ask.requests().get(0).name()));
        Collections.addAll(args, "A", Long.toString(notAfter), ask.part() ? "1" : "0");
        for (AcquireRequest request : ask.requests()) {
            addKeys(scriptKeys, request.name());
            Share share = request.share();
            Collections.addAll(
                    args,
                    request.owner(),
                    Long.toString(request.lease().toMillis()),
                    share.isWhole() ? "x" : share.isRead() ? "r" : "p",
                    Integer.toString(share.weight()),
                    Integer.toString(share.permits()));
        }
        return link.run(RedisLink.Lane.COMMANDS, Script.ALL, scriptKeys, args, left)
                .handle((answer, error) -> {
                    if (error != null || answer.repeated()) {
                        doubt(ask, notAfter);
                    }
                    if (error != null) {
                        return CompletableFuture.<List<AcquireReply>>failedFuture(RedisStore.cause(error));
                    }
                    try {
                        return understand(ask, sent, answer);
                    } catch (StoreFailure nonsense) {
                        doubt(ask, notAfter);
                        return CompletableFuture.<List<AcquireReply>>failedFuture(nonsense);
                    }
                })
                .thenCompose(reply -> reply);
    }

    private void doubt(Ask ask, long notAfter) {
        ask.requests().forEach(request -> unanswered.add(request.owner(), notAfter, context.commandTimeout()));
    }

    private CompletionStage<List<AcquireReply>> understand(Ask ask, ServerClock.Moment sent, RedisLink.Answer answer) {
        List<?> all = new Reply(link, answer).list(1);
        List<AcquireReply> replies = new ArrayList<>(all.size());
        boolean repeated = ask.repeated() || answer.repeated();
        for (int i = 0; i < all.size(); i++) {
            if (i >= ask.requests().size()) {
                throw new Reply(link, answer).nonsense();
            }
            Reply reply =
                    new Reply(link, all.get(i)).acquired(ask.requests().get(i).owner());
            int code = (int) Math.min(reply.part(0).count(), 9);
            serverClock.read(reply.part(1).count(), sent, answer.life());
            boolean again = (code == 4 && ask.first()) || code == 7;
            if (again && i == 0 && ask.deadline() - context.platform().nanoTime() > 0) {
                return send(new Ask(ask.requests(), ask.part(), ask.deadline(), code != 4 && ask.first(), repeated));
            }
            replies.add(
                    code == 4 || code == 7
                            ? new AcquireReply.Failed(StoreFailure.unavailable(
                                    link.address() + " did not get to the request within " + timeout.toMillis() + " ms",
                                    null))
                            : verdicts.read(code, ask.requests().get(i), reply));
        }
        if (repeated) {
            forget(ask.requests().subList(replies.size(), ask.requests().size()));
        }
        return CompletableFuture.completedFuture(replies);
    }

    /** A run whose answer was lost may have taken these, and nobody will ask for them under these owners again. */
    private void forget(List<AcquireRequest> unasked) {
        unasked.forEach(request -> giveUp.accept(request.name(), request.owner()));
    }

    CompletionStage<List<ReleaseReply>> release(List<ReleaseItem> items) {
        List<String> scriptKeys = new ArrayList<>(1 + 4 * items.size());
        List<String> args = new ArrayList<>(1 + items.size());
        scriptKeys.add(keys.fence(items.get(0).name()));
        args.add("R");
        for (ReleaseItem item : items) {
            addKeys(scriptKeys, item.name());
            args.add(item.owner());
        }
        return link.run(RedisLink.Lane.COMMANDS, Script.ALL, scriptKeys, args, timeout)
                .thenApply(answer -> {
                    Reply reply = new Reply(link, answer);
                    List<ReleaseReply> replies = new ArrayList<>(items.size());
                    for (int i = 0; i < reply.list(1).size(); i++) {
                        long held = reply.part(i).count();
                        if (held > 1 || i >= items.size()) {
                            throw reply.nonsense();
                        }
                        replies.add(RedisStore.released(held, answer));
                    }
                    return replies;
                });
    }

    private void addKeys(List<String> scriptKeys, String name) {
        Collections.addAll(scriptKeys, keys.lock(name), keys.queue(name), keys.tickets(name), keys.holds(name));
    }

    private ServerClock.Moment now() {
        return new ServerClock.Moment(
                context.platform().nanoTime(), context.platform().wallMillis());
    }
}
