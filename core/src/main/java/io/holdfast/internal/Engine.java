package io.holdfast.internal;

import io.holdfast.ClientClosedException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.internal.flight.Flight;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Origin;
import io.holdfast.spi.Platform;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's acquisitions and leases. Async inside: an {@link Acquisition} turns a request into a {@link HeldLease}, the
 * {@link Watchdog} keeps it, {@link Endings} end it. The blocking methods wait for a stage with a {@link Caller}.
 *
 * <p>State is kept for each acquisition, never for each name: when the last lease and the last waiter of a name are gone,
 * nothing of it is left here.
 */
public final class Engine implements AutoCloseable, Flight.Client {
    private final Platform platform;
    private final Duration commandTimeout;
    private final Notices notices;
    private final Losses losses;
    private final Expulsions expulsions;
    private final LockStore store;
    private final boolean firstCome;
    private final Watchdog watchdog;
    private final Workers workers;
    private final Releases releases;
    private final Endings endings;

    private final ThreadHolds holds;
    private final String clientId;
    private final Requests requests;
    private final @Nullable Origin origin;
    private final Lines lines = new Lines(this);
    /** Those who wait, by the owner id under which the store may send them news. */
    private final ConcurrentMap<String, Waiter> waiting = new ConcurrentHashMap<>();

    private Engine(
            StoreFactory factory,
            String keyPrefix,
            Duration commandTimeout,
            Platform platform,
            List<LockListener> listeners,
            boolean places,
            @Nullable Origin origin) {
        this.platform = platform;
        this.commandTimeout = commandTimeout;
        this.origin = origin;
        this.clientId = Long.toUnsignedString(platform.draw(), Character.MAX_RADIX);
        this.notices = new Notices(listeners, platform.callbacks(), places);
        this.losses = new Losses(platform, this::next, this::stops);
        this.expulsions = new Expulsions(platform, commandTimeout.toNanos());
        this.requests = new Requests(platform);
        this.holds = new ThreadHolds(platform);
        this.store = factory.open(new StoreContext(
                clientId, keyPrefix, commandTimeout, platform, new News(), Optional.ofNullable(origin)));
        this.firstCome = store.capabilities().contains(Capability.FIRST_COME);
        this.workers = new Workers(platform, store, "io");
        this.releases = new Releases(platform, store, requests);
        this.watchdog = new Watchdog(platform, store, commandTimeout, losses);
        this.endings = new Endings(this, store, watchdog, losses);
        Flight.watch(this);
    }

    @Override
    public String store() {
        return store.address();
    }

    @Override
    public int held() {
        return watchdog.held().size();
    }

    @Override
    public int asking() {
        return waiting.size();
    }

    public static Engine open(
            StoreFactory factory,
            String keyPrefix,
            Duration commandTimeout,
            Platform platform,
            List<LockListener> listeners) {
        return open(factory, keyPrefix, commandTimeout, platform, listeners, false, null);
    }

    /**
     * As above.
     *
     * @param places whether to note where locks are asked for
     * @param origin where this client runs, for those who look at its locks; null if it is not to be told
     */
    public static Engine open(
            StoreFactory factory,
            String keyPrefix,
            Duration commandTimeout,
            Platform platform,
            List<LockListener> listeners,
            boolean places,
            @Nullable Origin origin) {
        return new Engine(factory, keyPrefix, commandTimeout, platform, listeners, places, origin);
    }

    Platform platform() {
        return platform;
    }

    Notices notices() {
        return notices;
    }

    ThreadHolds holds() {
        return holds;
    }

    Requests requests() {
        return requests;
    }

    Endings endings() {
        return endings;
    }

    /** A hold has ended in another way than by its release: the next in the line goes on. */
    private void next(HeldLease lease) {
        endings.next(lease);
    }

    Releases releases() {
        return releases;
    }

    Lines lines() {
        return lines;
    }

    boolean isClosed() {
        return requests.isClosed();
    }

    Duration commandTimeout() {
        return commandTimeout;
    }

    public String storeAddress() {
        return store.address();
    }

    public List<LockInfo> inspect(String pattern) {
        return ask(pattern, workers.ofAll(), () -> store.inspect(pattern));
    }

    /**
     * Takes a lock, or a share of it, from an owner.
     *
     * @return false if that owner does not hold it
     */
    public boolean forceRelease(String name, String owner) {
        LockInfo.Party holder = ask(name, () -> store.inspect(name)).stream()
                .filter(lock -> lock.name().equals(name))
                .flatMap(lock -> lock.holders().stream())
                .filter(party -> party.owner().equals(owner))
                .findFirst()
                .orElse(null);
        if (holder == null) {
            return false;
        }
        if (holder.client().isEmpty()) {
            throw new StoreRefusedException(
                    name,
                    "it is held by '" + owner + "', which is no client of this library, and would not notice that the"
                            + " lock is another's; stop that program, or delete the lock's key by hand",
                    null);
        }
        boolean done = ask(name, () -> store.expel(name, owner));
        if (done) {
            Journal.forced(name, holder, origin);
        }
        return done;
    }

    public StoreHealth health() {
        return ask("*", workers.ofAll(), store::health);
    }

    // --- acquiring

    /** A fresh id for one acquisition; never used again. */
    OwnerId newOwner(long thread) {
        return OwnerId.fresh(clientId, thread, platform);
    }

    /** The calling thread, as one that waits for this lock and runs its own requests meanwhile. */
    Caller caller(String name) {
        return new Caller(platform, workers.of(name));
    }

    /** Runs requests for this lock that their caller does not run. */
    Executor worker(String name) {
        return workers.of(name);
    }

    /**
     * Begins to acquire a lock.
     *
     * @param runner where requests are sent from
     * @param callerRuns whether the runner is the caller itself
     */
    Acquisition acquire(Wish wish, Executor runner, boolean callerRuns) {
        Acquisition acquisition = new Acquisition(this, wish, runner, callerRuns);
        acquisition.start();
        return acquisition;
    }

    Acquisition acquireAsync(Wish wish) {
        return acquire(wish, worker(wish.name()), false);
    }

    /** Begins to acquire several locks, as above. */
    Gathering acquire(Gathering.Members members, Caller caller) {
        return new Gathering(this, members, caller.runs() ? caller : null).start();
    }

    Gathering acquireAsync(Gathering.Members members) {
        return new Gathering(this, members, null).start();
    }

    /**
     * Sends a request that was announced.
     *
     * @param sleeps whether this thread has nothing else to do, and is unparked when there is something
     */
    void ask(
            AcquireRequest request,
            boolean sleeps,
            BiConsumer<@Nullable AcquireReply, @Nullable Throwable> whenAnswered) {
        BiConsumer<@Nullable AcquireReply, @Nullable Throwable> ends = (reply, error) -> {
            try {
                whenAnswered.accept(reply, error);
            } finally {
                requests.end();
            }
        };
        if (sleeps) {
            Failures.acquire(store, request, ends);
        } else {
            Failures.guarded(() -> store.acquire(request)).whenComplete(ends);
        }
    }

    /** Sends a request for several that was announced. */
    void askAll(
            List<AcquireRequest> asked,
            boolean part,
            BiConsumer<@Nullable List<AcquireReply>, @Nullable Throwable> whenAnswered) {
        Failures.acquireAll(store, asked, part).whenComplete((replies, error) -> {
            try {
                whenAnswered.accept(replies, error);
            } finally {
                requests.end();
            }
        });
    }

    /** Sends a request that was announced along with a release. */
    void exchange(
            String owner,
            AcquireRequest request,
            BiConsumer<@Nullable ExchangeReply, @Nullable Throwable> whenAnswered) {
        Failures.guarded(() -> store.exchange(owner, request)).whenComplete((reply, error) -> {
            try {
                whenAnswered.accept(reply, error);
            } finally {
                requests.end();
            }
        });
    }

    void expect(String owner, Waiter waiter) {
        waiting.put(owner, waiter);
    }

    /** Who waits under that id; null if nobody does. */
    @Nullable
    Waiter waiter(String owner) {
        return waiting.get(owner);
    }

    void forget(String owner) {
        waiting.remove(owner);
    }

    /**
     * From now on the lease is held.
     *
     * @return false if the client has been closed meanwhile; the lease is then given back
     */
    boolean hold(HeldLease lease) {
        watchdog.add(lease);
        loseIfExpelled(lease);
        return isStillOpen(lease);
    }

    /**
     * As {@link #hold}, for a lease that somebody waits for, who is to be told without delay. {@link #keepTime} must follow as
     * soon as it is told: until then no clock runs for the lease.
     */
    boolean holdBeforeTime(HeldLease lease) {
        watchdog.put(lease);
        loseIfExpelled(lease);
        return isStillOpen(lease);
    }

    /** What an operator took away before anybody here held it is lost as soon as somebody does. */
    private void loseIfExpelled(HeldLease lease) {
        Loss loss = expulsions.of(lease);
        if (loss != null) {
            lose(lease, loss);
            // If the store has given it once more since, it is to have it back.
            releases.undo(lease);
        }
    }

    Expulsions expulsions() {
        return expulsions;
    }

    void keepTime() {
        watchdog.setTimer();
    }

    /** From now on a lease is held that is part of one its holder has already; if the client was closed meanwhile, it is lost. */
    void holdOrLose(HeldLease lease) {
        watchdog.add(lease);
        loseIfExpelled(lease);
        if (requests.isClosed()) {
            lose(lease, clientClosed());
            releases.undo(lease);
        }
    }

    private static Loss clientClosed() {
        return new Loss(Loss.Cause.CLIENT_CLOSED, "the client was closed while it held the lock");
    }

    private boolean isStillOpen(HeldLease lease) {
        if (requests.isClosed()) {
            watchdog.remove(lease);
            lease.moves(Phase.HELD, Phase.RELEASED);
            releases.undo(lease);
            next(lease);
            return false;
        }
        return true;
    }

    /**
     * From now on the lock is held by the next in the line.
     *
     * @return false if the client has been closed meanwhile; the lease is then given back
     */
    boolean inherits(HeldLease from, HeldLease next) {
        endings.ended(from);
        watchdog.replace(from, next);
        loseIfExpelled(next);
        return isStillOpen(next);
    }

    // --- holding

    /** Whether the lease is ours by our clocks; the first look after the deadline declares it lost. */
    boolean isValid(HeldLease lease) {
        return remaining(lease) > 0;
    }

    long remaining(HeldLease lease) {
        if (lease.phase() != Phase.HELD) {
            return 0;
        }
        long remaining = lease.remainingNanos(platform.nanoTime(), platform.wallMillis());
        if (remaining > 0) {
            return remaining;
        }
        lose(lease, Losses.expired(lease, platform.nanoTime()));
        return 0;
    }

    void ensureValid(HeldLease lease) {
        if (!isValid(lease)) {
            throw invalid(lease);
        }
    }

    RuntimeException invalid(HeldLease lease) {
        Loss loss = lease.loss();
        return loss != null
                ? new LeaseLostException(lease.name(), lease.token(), loss)
                : new IllegalStateException(
                        "lock '" + lease.name() + "': the lease with token " + lease.token() + " was released");
    }

    void extend(List<HeldLease> leases, Duration length) {
        leases.forEach(this::ensureValid);
        for (int from = 0; from < leases.size(); from += Watchdog.BATCH) {
            extendAtOnce(leases.subList(from, Math.min(from + Watchdog.BATCH, leases.size())), length);
        }
        leases.forEach(this::ensureValid);
    }

    private void extendAtOnce(List<HeldLease> leases, Duration length) {
        long sentNanos = platform.nanoTime();
        long sentWall = platform.wallMillis();
        List<RenewItem> items = leases.stream()
                .map(lease -> new RenewItem(lease.name(), lease.owner(), length))
                .toList();
        List<RenewReply> replies = ask(items.get(0).name(), () -> Failures.renew(store, items, commandTimeout));
        RuntimeException failure = null;
        for (int i = 0; i < leases.size(); i++) {
            HeldLease lease = leases.get(i);
            if (replies.get(i) instanceof RenewReply.Renewed) {
                lease.prove(Validity.after(sentNanos, sentWall, length));
            } else if (replies.get(i) instanceof RenewReply.Failed failed) {
                failure = Failures.asLockException(lease.name(), failed.failure());
            } else {
                watchdog.gone(
                        lease, new Loss(Loss.Cause.GONE, "the store no longer had it when it was to be extended"));
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Changes the number of permits; false if none are held. */
    boolean resize(String name, int permits) {
        return ask(name, () -> store.resize(name, permits));
    }

    /** This, if its store can share locks. */
    public Engine sharing(String what) {
        if (!store.capabilities().contains(Capability.SHARING)) {
            throw new UnsupportedOperationException(store.address() + " has no " + what);
        }
        return this;
    }

    /** This, if its store can do what the options say about replicas. */
    Engine replicating(String name, LockOptions options) {
        if (options.minReplicas() > 0 && !store.capabilities().contains(Capability.REPLICAS)) {
            throw new UnsupportedOperationException(store.address() + " cannot tell how many replicas have a lock, so "
                    + "minReplicas " + options.minReplicas() + " cannot be had (lock '" + name + "')");
        }
        return this;
    }

    /** Whether its store serves those who wait in the order of their coming. */
    boolean isFirstCome() {
        return firstCome;
    }

    /** This, if its store serves those who wait in the order of their coming. */
    public Engine firstCome() {
        if (!firstCome) {
            throw new UnsupportedOperationException(store.address()
                    + " has no fair locks: it does not serve those who wait in the order of their coming");
        }
        return this;
    }

    // --- latches

    /** The store's latches. */
    LatchStore latches() {
        if (!store.capabilities().contains(Capability.LATCHES)) {
            throw new UnsupportedOperationException(store.address() + " has no latches");
        }
        return store.latches();
    }

    /** Asks until there is something decided, from the calling thread. */
    <T, R> Inquiry<T, R> inquire(
            String name,
            LockOptions options,
            String id,
            long waitNanos,
            Supplier<CompletionStage<T>> question,
            Function<T, Optional<R>> decide,
            Caller caller) {
        return new Inquiry<>(this, name, options, id, waitNanos, question, decide, caller).start(caller.runs());
    }

    /** As above, by the worker. */
    <T, R> Inquiry<T, R> inquire(
            String name,
            LockOptions options,
            String id,
            long waitNanos,
            Supplier<CompletionStage<T>> question,
            Function<T, Optional<R>> decide) {
        return new Inquiry<>(this, name, options, id, waitNanos, question, decide, worker(name)).start(false);
    }

    /** Says something to the store that nobody waits for, and that may be left out. */
    void inBackground(String name, Supplier<CompletionStage<LatchStore.State>> message) {
        if (requests.announce()) {
            releases.of(name).execute(() -> Failures.guarded(message).whenComplete((state, error) -> requests.end()));
        }
    }

    private void lose(HeldLease lease, Loss loss) {
        watchdog.remove(lease);
        losses.gone(lease, loss);
    }

    private void stops(HeldLease lease) {
        lines.stops(lease);
    }

    // --- the end

    /** Ends waits, gives back what is held, disconnects. */
    @Override
    public void close() {
        if (!requests.close()) {
            return;
        }
        Flight.forget(this);
        waiting.values().forEach(Waiter::closed);
        lines.close();
        // From here on nothing is added, so these are all: also those whose release is under way, and might come too
        // late.
        List<HeldLease> held = watchdog.held();
        for (HeldLease lease : held) {
            lose(lease, clientClosed());
        }
        long patience = 2 * commandTimeout.toNanos();
        boolean interrupted = requests.awaitAnswers(patience);
        releases.giveBack(held);
        interrupted |= requests.awaitAnswers(patience);
        List<Runnable> left = new ArrayList<>(workers.finish(commandTimeout.toNanos()));
        left.addAll(releases.finish(2 * commandTimeout.toNanos()));
        watchdog.close();
        try {
            store.close();
        } finally {
            // Somebody may wait for what is left; against a store that is closed it fails at once.
            left.forEach(Runnable::run);
            platform.close();
            if (interrupted) {
                platform.interrupt(platform.currentThread());
            }
        }
    }

    /** One blocking question to the store about one lock. */
    <T> T ask(String name, Supplier<CompletionStage<T>> question) {
        return ask(name, workers.of(name), question);
    }

    /** @param worker asks for a caller that must not block on a socket */
    private <T> T ask(String about, Executor worker, Supplier<CompletionStage<T>> question) {
        if (requests.isClosed()) {
            throw new ClientClosedException(about);
        }
        Caller caller = new Caller(platform, worker);
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable send = () -> {
            if (answer.isDone()) {
                // Its caller was told that there was no answer, and may have asked for something else since.
                return;
            }
            Failures.guarded(question).whenComplete((value, error) -> {
                if (error != null) {
                    StoreFailure failure = StoreFailure.of(error);
                    answer.completeExceptionally(Failures.asLockException(about, failure));
                } else {
                    answer.complete(value);
                }
            });
        };
        if (caller.runs()) {
            send.run();
        } else {
            worker.execute(send);
            StoreFailure late =
                    StoreFailure.unavailable(storeAddress() + " did not answer those who asked before", null);
            Platform.Timer limit = platform.schedule(
                    2 * commandTimeout.toNanos(),
                    () -> answer.completeExceptionally(Failures.asLockException(about, late)));
            answer.whenComplete((value, error) -> limit.cancel());
        }
        return caller.awaitUninterruptibly(answer);
    }

    /** What the store tells unasked. */
    private final class News implements StoreEvents {
        @Override
        public void wake(String name, String owner) {
            // News for an id that nobody waits under is left alone: whoever left has released it, or is about to, and
            // in a copy of this process the id may be held. But not if it is known here who was served under it.
            Waiter waiter = waiting.get(owner);
            if (waiter != null) {
                waiter.wake();
            } else {
                lines.calledAgain(name, owner);
            }
        }

        @Override
        public void granted(PushedGrant grant) {
            Waiter waiter = waiting.get(grant.owner());
            if (waiter != null) {
                waiter.pushed(grant);
            } else {
                lines.grantedAgain(grant);
            }
        }

        @Override
        public void wakeAll() {
            waiting.values().forEach(Waiter::wake);
            lines.allCalledAgain();
        }

        @Override
        public void gone(String name, String owner, String detail) {
            lost(name, owner, new Loss(Loss.Cause.GONE, detail));
        }

        @Override
        public void expelled(String name, String owner, String detail) {
            Waiter waiter = waiting.get(owner);
            if (waiter != null) {
                waiter.expelled();
            }
            Loss loss = new Loss(Loss.Cause.FORCED, detail);
            // In this order: what is about to be held is looked for here after that.
            expulsions.add(owner, loss);
            for (HeldLease lease : lost(name, owner, loss)) {
                if (lease.last().phase() == Phase.LOST) {
                    // As in loseIfExpelled: its owner may have asked again before these news came.
                    releases.undo(lease);
                }
            }
        }

        private List<HeldLease> lost(String name, String owner, Loss loss) {
            List<HeldLease> all = new ArrayList<>();
            for (HeldLease lease : watchdog.held()) {
                if (lease.name().equals(name) && lease.owner().equals(owner)) {
                    watchdog.gone(lease, loss);
                    all.add(lease);
                }
            }
            return all;
        }
    }
}
