package io.holdfast.testkit;

import static java.util.Objects.requireNonNull;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store that fails when told, to see what an application makes of it. It stands between the clients and a real store,
 * the one in memory unless another is given. Thread safe.
 *
 * <pre>{@code
 * FaultyStore store = FaultyStore.inMemory();
 * try (Holdfast locks = Holdfast.builder().store(store.factory()).build()) {
 *     Lease lease = locks.lock("invoice:42").acquire(Duration.ZERO);
 *     store.lose("invoice:42");
 *     assertThrows(LeaseLostException.class, () -> invoices.book(42, lease));
 * }
 * }</pre>
 *
 * <p>A switch holds for every client of this store's factory. To cut off one client and not another, put two of these over
 * the same factory:
 *
 * <pre>{@code
 * StoreFactory shared = MemoryStore.isolated();
 * FaultyStore here = FaultyStore.over(shared);
 * FaultyStore there = FaultyStore.over(shared);
 * here.cutOff();
 * }</pre>
 *
 * <p>What is late is late on the client's own clock, so with a {@link ManualClock} it is late without anybody waiting.
 */
public final class FaultyStore {

    /** What becomes of a request. */
    enum Fate {
        ANSWERED,
        REQUEST_LOST,
        REPLY_LOST,
        HELD_UP
    }

    private final StoreFactory inner;
    private final @Nullable ManualClock serverClock;

    // All guarded by this.
    private final List<FaultyConnection> connections = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final Map<Operation, Integer> requestsToLose = new EnumMap<>(Operation.class);
    private final Map<Operation, Integer> repliesToLose = new EnumMap<>(Operation.class);
    private Duration delay = Duration.ZERO;
    private boolean cutOff;
    private boolean hanging;
    private boolean deaf;

    private FaultyStore(StoreFactory inner, @Nullable ManualClock serverClock) {
        this.inner = inner;
        this.serverClock = serverClock;
    }

    /** Over a store in memory, which nobody else uses. */
    public static FaultyStore inMemory() {
        return over(MemoryStore.isolated());
    }

    /** Over any store. */
    public static FaultyStore over(StoreFactory store) {
        return new FaultyStore(requireNonNull(store, "store"), null);
    }

    /** The same with a clock of the server's own, as in reality, to let it run faster than the clients' or be ahead. */
    public FaultyStore serverClock(ManualClock clock) {
        return new FaultyStore(inner, requireNonNull(clock, "clock"));
    }

    /** What the clients are built with. */
    public StoreFactory factory() {
        return this::open;
    }

    // --- the server forgets

    /**
     * Ends the present hold as if its lease had run out: the lock goes to the next who waits, and its holder learns of it
     * at its next renewal, or when it releases.
     *
     * <pre>{@code
     * lock.lock();
     * store.expireNow("invoice:42");
     * assertFalse(lock.unlock());
     * }</pre>
     */
    public void expireNow(String name) {
        serverSide().take(requireNonNull(name, "name"));
    }

    /**
     * As {@link #expireNow}, and the holder is told at once.
     *
     * <pre>{@code
     * Lease lease = locks.lock("invoice:42").acquire(Duration.ZERO);
     * store.lose("invoice:42");
     * lease.lost().thenAccept(loss -> assertEquals(Loss.Cause.GONE, loss.cause()));
     * }</pre>
     */
    public void lose(String name) {
        serverSide().take(requireNonNull(name, "name")).ifPresent(owner -> {
            for (FaultyConnection connection : open()) {
                connection.gone(name, owner);
            }
        });
    }

    // --- the way there and back

    /**
     * Every answer is late by that much, until it is set back to zero or {@link #restore} is called. The request itself is
     * carried out at once. An answer later than the command time-out never comes.
     *
     * <pre>{@code
     * store.delay(Duration.ofMillis(300));
     * assertTrue(lock.tryLock());   // takes 300 ms
     * }</pre>
     */
    public synchronized void delay(Duration delay) {
        if (requireNonNull(delay, "delay").isNegative()) {
            throw new IllegalArgumentException("an answer cannot be early: delay " + delay);
        }
        this.delay = delay;
    }

    /**
     * The store cannot be reached: every request fails at once and is not carried out.
     *
     * <pre>{@code
     * store.cutOff();
     * assertThrows(StoreUnavailableException.class, lock::tryLock);
     * store.restore();
     * }</pre>
     */
    public synchronized void cutOff() {
        cutOff = true;
    }

    /**
     * The store stands still: nothing is carried out and nothing is answered, so that a request fails at the command
     * time-out. {@link #restore} carries out what has come in meanwhile, in order, whether or not somebody still waits for
     * the answer.
     *
     * <pre>{@code
     * store.hang();
     * assertThrows(StoreUnavailableException.class, lock::tryLock);   // after the command time-out
     * store.restore();
     * }</pre>
     */
    public synchronized void hang() {
        hanging = true;
    }

    /**
     * Ends {@link #delay}, {@link #cutOff}, {@link #hang} and {@link #dropWakeUps}. Everybody who waits is told to ask
     * again, as by a store that has just reconnected.
     */
    public void restore() {
        synchronized (this) {
            delay = Duration.ZERO;
            cutOff = false;
            hanging = false;
            deaf = false;
            requestsToLose.clear();
            repliesToLose.clear();
        }
        for (FaultyConnection connection : open()) {
            connection.resume();
        }
    }

    /**
     * The next such request does not arrive, and its sender is told so: as {@link #cutOff} for one request. Called twice,
     * the next two.
     */
    public synchronized void loseNextRequest(Operation operation) {
        requestsToLose.merge(requireNonNull(operation, "operation"), 1, Integer::sum);
    }

    /**
     * The next such request is carried out and its answer is lost, so that nobody knows whether it was. Called twice, the
     * next two.
     *
     * <pre>{@code
     * store.loseNextReply(Operation.RELEASE);
     * assertTrue(lock.unlock());
     * }</pre>
     */
    public synchronized void loseNextReply(Operation operation) {
        repliesToLose.merge(requireNonNull(operation, "operation"), 1, Integer::sum);
    }

    /** Whether those who wait are no longer told that their turn has come, and find it out by asking again. */
    public synchronized void dropWakeUps(boolean drop) {
        deaf = drop;
    }

    // --- the record

    /** Every request so far, in the order they were sent. */
    public synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** Every such request so far, in the order they were sent. */
    public synchronized List<Call> calls(Operation operation) {
        return calls.stream().filter(call -> call.operation() == operation).toList();
    }

    /** How many such requests there were so far; each lease of a batch of renewals counts. */
    public synchronized int count(Operation operation) {
        return calls(operation).size();
    }

    /** Begins the record anew. */
    public synchronized void forgetCalls() {
        calls.clear();
    }

    /**
     * Sends a recorded acquire, release or renewal again, as a network does that delivers a message twice, or late. Nobody
     * hears the answer but the caller, as its text.
     */
    public String repeat(Call call) {
        requireNonNull(call, "call");
        return open().stream()
                .filter(connection -> connection.sent(call))
                .findFirst()
                .orElseGet(this::serverSide)
                .repeat(call);
    }

    // --- for the connections

    private FaultyConnection open(StoreContext context) {
        FaultyConnection connection = new FaultyConnection(this, inner, context, serverClock);
        synchronized (this) {
            connections.add(connection);
        }
        return connection;
    }

    synchronized void closed(FaultyConnection connection) {
        connections.remove(connection);
    }

    private synchronized List<FaultyConnection> open() {
        return List.copyOf(connections);
    }

    private synchronized FaultyConnection serverSide() {
        if (connections.isEmpty()) {
            throw new IllegalStateException("no client of this store is open");
        }
        return connections.get(0);
    }

    /** Notes the calls of one request, and decides what becomes of it. */
    synchronized Fate fate(List<Call> request) {
        calls.addAll(request);
        Set<Operation> operations = EnumSet.noneOf(Operation.class);
        request.forEach(call -> operations.add(call.operation()));
        if (cutOff || takesOne(requestsToLose, operations)) {
            return Fate.REQUEST_LOST;
        }
        if (takesOne(repliesToLose, operations)) {
            return Fate.REPLY_LOST;
        }
        return hanging ? Fate.HELD_UP : Fate.ANSWERED;
    }

    private static boolean takesOne(Map<Operation, Integer> left, Set<Operation> operations) {
        return operations.stream().anyMatch(operation -> takesOne(left, operation));
    }

    private static boolean takesOne(Map<Operation, Integer> left, Operation operation) {
        Integer before = left.get(operation);
        if (before == null) {
            return false;
        }
        left.compute(operation, (same, count) -> before == 1 ? null : before - 1);
        return true;
    }

    synchronized Duration delay() {
        return delay;
    }

    synchronized boolean hearsNothing() {
        return cutOff || hanging || deaf;
    }
}
