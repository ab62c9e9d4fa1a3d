package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * Locks on the masters of a cluster. A lock and all that belongs to it are in one slot, so every lock is on one node, as it
 * would be on a server of its own: each node has a {@link RedisStore}, and this only finds the right one.
 *
 * <p>A node that says that another has the slot has done nothing, so the request goes there, unchanged. While a slot is on
 * its way, Redis runs no script for a lock of which some keys are missing, and most always are; its locks can neither be
 * taken nor given back then. But they are renewed: by a run that names the lock alone, which is either where it was or where
 * it is going.
 *
 * <p>Nodes fail apart. Nobody who is on one waits for another, and renewals for different nodes are sent by different
 * threads.
 */
final class ClusterStore implements LockStore {
    private static final int MOST_REDIRECTS = 3;

    private final Cluster cluster;
    private final Platform platform;
    private final Duration timeout;
    private final Introduction introduction;

    ClusterStore(ClusterServers servers, StoreContext context) {
        this.cluster = new Cluster(servers, context);
        cluster.unanswered().routedBy(this::release);
        this.platform = context.platform();
        this.timeout = context.commandTimeout();
        String self = Keys.clientName(context.clientId());
        this.introduction =
                new Introduction(context, cluster.keys(), command -> route(self, store -> store.command(command)));
    }

    /** The key that says who this client is may be on a node that has none of its locks: nobody waits for it. */
    private void introduce() {
        if (!introduction.hasBegun() && introduction.begins()) {
            introduction.say();
        }
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        introduce();
        return route(request.name(), store -> store.acquire(request));
    }

    @Override
    public CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
        return route(next.name(), store -> store.exchange(owner, next));
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return route(name, store -> store.release(name, owner));
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner, List<String> served) {
        return route(name, store -> store.release(name, owner, served));
    }

    /** As many of the first as are in one slot: no script may touch two. */
    @Override
    public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
        introduce();
        List<AcquireRequest> together = ofOneSlot(requests, AcquireRequest::name);
        return route(requests.get(0).name(), store -> store.acquireAll(together, part));
    }

    @Override
    public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
        List<ReleaseItem> together = ofOneSlot(items, ReleaseItem::name);
        return route(items.get(0).name(), store -> store.releaseAll(together));
    }

    private <T> List<T> ofOneSlot(List<T> all, Function<T, String> name) {
        int slot = cluster.keys().slot(name.apply(all.get(0)));
        return all.stream()
                .takeWhile(one -> cluster.keys().slot(name.apply(one)) == slot)
                .toList();
    }

    @Override
    public LatchStore latches() {
        return new LatchStore() {
            @Override
            public CompletionStage<Boolean> set(String name, String id, int count, Duration life) {
                return route(name, store -> store.latches().set(name, id, count, life));
            }

            @Override
            public CompletionStage<State> countDown(String name, String id, String made) {
                return route(name, store -> store.latches().countDown(name, id, made));
            }

            @Override
            public CompletionStage<State> look(String name, @Nullable String waiter) {
                return route(name, store -> store.latches().look(name, waiter));
            }

            @Override
            public CompletionStage<State> leave(String name, String waiter) {
                return route(name, store -> store.latches().leave(name, waiter));
            }

            @Override
            public CompletionStage<State> clear(String name, String id, String made) {
                return route(name, store -> store.latches().clear(name, id, made));
            }
        };
    }

    @Override
    public CompletionStage<Boolean> resize(String name, int permits) {
        return route(name, store -> store.resize(name, permits));
    }

    @Override
    public CompletionStage<Boolean> expel(String name, String owner) {
        return route(name, store -> store.expel(name, owner));
    }

    // --- the way to the node

    private <T> CompletionStage<T> route(String name, Function<RedisStore, CompletionStage<T>> request) {
        int slot = cluster.keys().slot(name);
        long start = platform.nanoTime();
        ClusterNode node;
        try {
            node = cluster.node(slot, timeout);
        } catch (StoreFailure e) {
            return CompletableFuture.failedFuture(e);
        }
        return send(new Trip<>(request, slot, start, 0), node, node.store());
    }

    /** A request on its way, always the same one: under the same owner id it has no second effect. */
    private record Trip<T>(Function<RedisStore, CompletionStage<T>> request, int slot, long startNanos, int redirects) {
        Trip<T> further() {
            return new Trip<>(request, slot, startNanos, redirects + 1);
        }
    }

    private <T> CompletionStage<T> send(Trip<T> trip, ClusterNode node, RedisStore store) {
        return trip.request()
                .apply(inTime(trip, store))
                .handle((reply, error) ->
                        error == null ? CompletableFuture.completedFuture(reply) : failed(trip, node, error))
                .thenCompose(stage -> stage);
    }

    /** What the way has taken so far is no longer there for the request: whoever asks has one time-out for all of it. */
    private RedisStore inTime(Trip<?> trip, RedisStore store) {
        long whole = timeout.toNanos();
        long passed = platform.nanoTime() - trip.startNanos();
        return passed < whole / 16 ? store : store.within(Duration.ofNanos(Math.max(whole - passed, whole / 8)));
    }

    private <T> CompletionStage<T> failed(Trip<T> trip, ClusterNode node, Throwable error) {
        StoreFailure failure = StoreFailure.of(error);
        Redirect redirect = judge(node, failure);
        if (redirect == null && !node.isSuspect()) {
            return CompletableFuture.failedFuture(failure);
        }
        long passed = platform.nanoTime() - trip.startNanos();
        if (trip.redirects() == MOST_REDIRECTS || passed > timeout.toNanos() / 2) {
            return CompletableFuture.failedFuture(redirect == null ? failure : unsettled(failure));
        }
        if (redirect == null) {
            // Another may have taken its place before we noticed.
            ClusterNode next = cluster.node(trip.slot(), timeout.dividedBy(4));
            return next == node ? CompletableFuture.failedFuture(failure) : send(trip.further(), next, next.store());
        }
        if (redirect.once()) {
            ClusterNode next = cluster.node(redirect.to());
            return send(trip.further(), next, next.asking());
        }
        cluster.moved(redirect, timeout.dividedBy(4));
        ClusterNode next = cluster.node(redirect.to());
        return send(trip.further(), next, next.store());
    }

    /** Where the failure says to go; null if it is one. A node that may no longer be what it was is suspected. */
    private static @Nullable Redirect judge(ClusterNode node, StoreFailure failure) {
        Redirect redirect = Redirect.of(failure, node.at());
        String error = Redirect.error(failure);
        boolean ofTheNode = error == null || RedisErrors.answer(error) == RedisErrors.Answer.RECONNECT;
        if (redirect == null && ofTheNode && failure.kind() == StoreFailure.Kind.UNAVAILABLE) {
            node.suspect();
        }
        return redirect;
    }

    private StoreFailure unsettled(StoreFailure last) {
        return StoreFailure.unavailable(
                cluster.address() + " sends from one node to the other: " + last.reason(), last.getCause());
    }

    // --- renewals

    @Override
    public String part(String name) {
        HostAndPort at = cluster.where(cluster.keys().slot(name));
        return at == null ? "" : at.toString();
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration within) {
        Map<HostAndPort, List<Integer>> parts = new LinkedHashMap<>();
        List<Integer> homeless = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            HostAndPort at = cluster.where(cluster.keys().slot(batch.get(i).name()));
            (at == null ? homeless : parts.computeIfAbsent(at, node -> new ArrayList<>())).add(i);
        }
        Batch whole = new Batch(batch, within);
        List<CompletableFuture<@Nullable Void>> done = new ArrayList<>();
        try {
            parts.forEach((at, items) -> done.add(whole.on(cluster.node(at).renewals(), items)));
        } catch (StoreFailure closed) {
            return CompletableFuture.failedFuture(closed);
        }
        if (!homeless.isEmpty()) {
            done.add(whole.on(platform.callbacks(), homeless));
        }
        return CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0]))
                .thenApply(all -> whole.replies());
    }

    /** Renewals, and what has come of each. */
    private final class Batch {
        private final List<RenewItem> items;
        private final long deadline;
        private final RenewReply[] replies;

        Batch(List<RenewItem> items, Duration within) {
            this.items = items;
            this.deadline = platform.nanoTime() + within.toNanos();
            this.replies = new RenewReply[items.size()];
        }

        List<RenewReply> replies() {
            return List.of(replies);
        }

        CompletableFuture<@Nullable Void> on(Executor thread, List<Integer> which) {
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            thread.execute(() -> {
                try {
                    renew(which, true);
                } catch (RuntimeException | Error e) {
                    fail(which, StoreFailure.of(e));
                } finally {
                    done.complete(null);
                }
            });
            return done;
        }

        private void fail(List<Integer> which, StoreFailure failure) {
            for (int i : which) {
                if (replies[i] == null) {
                    replies[i] = new RenewReply.Failed(failure);
                }
            }
        }

        private Duration left() {
            return Duration.ofNanos(Math.max(1_000_000, deadline - platform.nanoTime()));
        }

        /** One run for each slot, and those of one node in one go. */
        private void renew(List<Integer> which, boolean first) {
            Map<HostAndPort, Map<Integer, List<Integer>>> nodes = new LinkedHashMap<>();
            Map<Integer, List<Integer>> slots = new TreeMap<>();
            which.forEach(i -> slots.computeIfAbsent(
                            cluster.keys().slot(items.get(i).name()), slot -> new ArrayList<>())
                    .add(i));
            slots.forEach((slot, ofSlot) -> {
                try {
                    ClusterNode node = cluster.node(slot, left().dividedBy(2));
                    nodes.computeIfAbsent(node.at(), at -> new LinkedHashMap<>())
                            .put(slot, ofSlot);
                } catch (StoreFailure e) {
                    fail(ofSlot, e);
                }
            });
            List<Integer> again = new ArrayList<>();
            nodes.forEach((at, ofNode) -> send(cluster.node(at), List.copyOf(ofNode.values()), first ? again : null));
            if (!again.isEmpty()) {
                renew(again, false);
            }
        }

        private void send(ClusterNode node, List<List<Integer>> slots, @Nullable List<Integer> again) {
            List<JedisLink.Run> runs = new ArrayList<>();
            for (List<Integer> ofSlot : slots) {
                List<RenewItem> chosen = ofSlot.stream().map(items::get).toList();
                runs.add(new JedisLink.Run(Renewals.keys(cluster.keys(), chosen, true), Renewals.args(chosen)));
            }
            List<CompletionStage<RedisLink.Answer>> answers = node.link().renew(runs, left());
            for (int s = 0; s < slots.size(); s++) {
                List<Integer> ofSlot = slots.get(s);
                try {
                    List<RenewReply> read = Renewals.read(
                            new Reply(node.link(), join(answers.get(s))), node.link(), ofSlot.size(), false);
                    for (int i = 0; i < ofSlot.size(); i++) {
                        replies[ofSlot.get(i)] = read.get(i);
                    }
                } catch (StoreFailure e) {
                    failed(node, ofSlot, e, again);
                }
            }
        }

        private void failed(ClusterNode node, List<Integer> ofSlot, StoreFailure e, @Nullable List<Integer> again) {
            Redirect redirect = judge(node, e);
            if (redirect != null && !redirect.once()) {
                cluster.moved(redirect, left().dividedBy(4));
                if (again != null) {
                    again.addAll(ofSlot);
                    return;
                }
            }
            if ((redirect != null && redirect.once()) || isOnTheMove(e)) {
                ofSlot.forEach(i -> replies[i] = renewAlone(node, items.get(i)));
                return;
            }
            fail(ofSlot, redirect == null ? e : unsettled(e));
        }

        private boolean isOnTheMove(StoreFailure e) {
            String error = Redirect.error(e);
            return error != null && error.startsWith("TRYAGAIN");
        }

        /** By the key of the lock alone: it is either where it was or where it is going, and a run that names more fails. */
        private RenewReply renewAlone(ClusterNode node, RenewItem item) {
            try {
                return renewAlone(node.link(), item);
            } catch (StoreFailure e) {
                Redirect redirect = judge(node, e);
                if (redirect == null) {
                    return new RenewReply.Failed(e);
                }
                ClusterNode next = cluster.node(redirect.to());
                RedisLink link = redirect.once() ? next.askingLink() : next.link();
                try {
                    return renewAlone(link, item);
                } catch (StoreFailure second) {
                    judge(next, second);
                    return new RenewReply.Failed(
                            second.kind() == StoreFailure.Kind.REFUSED && Redirect.of(second, next.at()) != null
                                    ? unsettled(second)
                                    : second);
                }
            }
        }

        private RenewReply renewAlone(RedisLink link, RenewItem item) {
            String lock = cluster.keys().lock(item.name());
            List<String> args = Renewals.args(List.of(item));
            Reply reply = run(link, List.of(lock), args);
            if (Renewals.codes(reply, 1)[0] == Renewals.SHARED) {
                // A share has two keys: where both are it is renewed, and where only one is this fails.
                reply = run(link, List.of(lock, cluster.keys().holds(item.name())), args);
            }
            return Renewals.read(reply, link, 1, false).get(0);
        }

        private Reply run(RedisLink link, List<String> keys, List<String> args) {
            return new Reply(link, join(link.run(RedisLink.Lane.RENEWALS, Script.RENEW, keys, args, left())));
        }
    }

    /** What a stage that is over has come to. */
    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw StoreFailure.of(e);
        }
    }

    // --- the rest

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        if (pattern.indexOf('*') < 0) {
            return route(pattern, store -> store.inspect(pattern))
                    .thenApply(found -> Introduction.locate(found, cluster.keys(), this::one));
        }
        try {
            // A slot that moves meanwhile may be met twice.
            Map<String, LockInfo> found = new LinkedHashMap<>();
            for (ClusterNode node : cluster.all(timeout)) {
                join(node.store().inspect(pattern)).forEach(lock -> found.put(lock.name(), lock));
            }
            return CompletableFuture.completedFuture(
                    Introduction.locate(List.copyOf(found.values()), cluster.keys(), this::one));
        } catch (StoreFailure e) {
            return CompletableFuture.failedFuture(
                    Redirect.error(e) != null && e.reason().contains("MOVED") ? unsettled(e) : e);
        }
    }

    /** Sends commands about single keys, each to its node. */
    private List<CompletionStage<RedisLink.Answer>> one(List<String[]> commands) {
        return commands.stream()
                .map(command -> route(cluster.keys().name(command[1]), store -> store.command(command)))
                .toList();
    }

    /** As reachable as the least of its nodes, and as slow. */
    @Override
    public CompletionStage<StoreHealth> health() {
        boolean reachable = true;
        Duration slowest = Duration.ZERO;
        List<String> warnings = new ArrayList<>();
        NodeClocks clocks = new NodeClocks(platform);
        try {
            for (ClusterNode node : cluster.all(timeout)) {
                String name = ServerList.text(node.at());
                StoreHealth health = join(node.store().health());
                reachable &= health.reachable();
                slowest = slowest.compareTo(health.roundTrip()) < 0 ? health.roundTrip() : slowest;
                health.warnings().forEach(warning -> warnings.add(name + ": " + warning));
                if (health.reachable()) {
                    clocks.read(name, node.link(), timeout.dividedBy(2));
                }
            }
            warnings.addAll(clocks.differences());
            return CompletableFuture.completedFuture(
                    new StoreHealth(reachable, reachable ? slowest : Duration.ZERO, List.copyOf(warnings)));
        } catch (StoreFailure e) {
            return CompletableFuture.completedFuture(new StoreHealth(false, Duration.ZERO, List.of(e.reason())));
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(
                Capability.ACROSS_PROCESSES,
                Capability.NOTIFICATION,
                Capability.FIRST_COME,
                Capability.SHARING,
                Capability.LATCHES,
                Capability.REPLICAS,
                Capability.ORIGINS);
    }

    @Override
    public String address() {
        return cluster.address();
    }

    @Override
    public void close() {
        introduction.close();
        cluster.close();
    }
}
