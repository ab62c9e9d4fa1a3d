package io.holdfast.simulation.audit;

import io.holdfast.Hold;
import io.holdfast.Loss;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.world.World;
import io.holdfast.spi.Share;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks, after every event, whether the promises hold. Two sides are compared: what clients believe, by their own clocks,
 * and what the server has.
 *
 * <p>Lease exclusion (I3) is promised inside a timing model: clocks differ in rate by at most 1 %, the server's clock is
 * not stepped, and the server loses nothing. A fault outside that model is announced here, and overlaps it may cause are
 * counted instead of judged, until every lease from before it must have ended.
 */
public final class Auditor {
    /** How late a loss may be declared: the timer thread has its moments. */
    private static final long LOST_SLACK_NANOS = 20_000_000L;
    /** So long news may take where nothing is wrong, and so may a renewal. */
    private static final long TOLD_NANOS = 500_000_000L;

    /** A lease that an application has in its hands. */
    private static final class Held {
        final Party party;
        final Peek.Belief belief;
        final Share share;
        /** The server was seen to have it. */
        boolean wasKnown;

        Held(Party party, Peek.Belief belief, Share share) {
            this.party = party;
            this.belief = belief;
            this.share = share;
        }
    }

    private final World world;
    private final Hits hits;
    private final long longestLeaseNanos;
    private final Truth truth;
    private final List<String> names;
    private final Resource resource = new Resource();
    private final List<Held> held = new ArrayList<>();
    /** By client and lock: since when it is a thread's turn, by its own clock, and what it had last. */
    private final Map<String, Turn> turns = new HashMap<>();

    /** @param as as who in the store's queue, if it stood there: who comes to stand there once more has another turn */
    private record Turn(
            long since, Peek.Belief last, @Nullable String as) {}

    private final Map<String, Long> grants = new HashMap<>();
    private final Map<String, Long> highestReturned = new HashMap<>();
    private final Map<String, Long> highestWhole = new HashMap<>();
    private final Map<String, Set<Long>> tokens = new HashMap<>();
    private final Map<String, Integer> losses = new LinkedHashMap<>();
    private final Map<String, Long> lostAt = new HashMap<>();
    private final List<Held> lostOwners = new ArrayList<>();
    private final Set<String> released = new HashSet<>();
    /** So long a ticket lives; tokens rise by one in a microsecond. */
    private static final long TICKET_MICROS = 6_000_000L;

    private final Map<String, Long> excusedUntil = new HashMap<>();
    private final boolean driftBeyondModel;
    private final Map<String, Long> tokensExcusedBelow = new HashMap<>();
    private final Map<String, Long> rowsExcusedBelow = new HashMap<>();
    private long allExcusedUntil;
    private final BiPredicate<Party, Long> undisturbedSince;

    /** What an operator was to take by force, by lock and owner. */
    private final Set<String> mayBeTaken = new HashSet<>();

    /** What the servers had no more of that, and since when. */
    private final Map<String, Long> takenAt = new HashMap<>();

    /** When its client was told of it. */
    private final Map<String, Long> toldAt = new HashMap<>();

    private long overlapsOutside;
    private final Set<String> overlapping = new HashSet<>();

    /**
     * A look at everything.
     *
     * @param undisturbedSince whether nothing has befallen a client, or the servers, since some moment or shortly before
     */
    public Auditor(
            World world,
            Truth truth,
            List<String> names,
            Hits hits,
            long longestLeaseNanos,
            boolean driftBeyondModel,
            BiPredicate<Party, Long> undisturbedSince) {
        this.undisturbedSince = undisturbedSince;
        this.names = names;
        this.world = world;
        this.truth = truth;
        this.hits = hits;
        this.longestLeaseNanos = longestLeaseNanos;
        this.driftBeyondModel = driftBeyondModel;
    }

    /** Pairs of holders at once that the timing model does not exclude. */
    public long overlapsOutside() {
        return overlapsOutside;
    }

    // --- what the faults announce

    /** State of one lock is lost: its leases may overlap until the old ones have ended. */
    public void excuse(String name) {
        excusedUntil.put(name, world.now() + 2 * longestLeaseNanos);
    }

    /**
     * State of the server is lost, or its clock was stepped; or a client was suspended, so that its monotonic clock stood
     * still, while its wall clock was set back.
     */
    public void excuseAll() {
        allExcusedUntil = world.now() + 2 * longestLeaseNanos;
    }

    /**
     * An operator is about to take a lock from that owner by force. From when the server does not have it any more, the owner
     * and the next may both believe in it, until the owner hears the news, or renews.
     */
    public void mayBeTaken(String name, String owner) {
        mayBeTaken.add(name + ' ' + owner);
    }

    /** Whether an operator was to take it by force. */
    public boolean isLostByForce(Hold hold) {
        return mayBeTaken.contains(hold.lockName() + ' ' + hold.owner());
    }

    /** The news have come to its client. */
    public void wasToldOfForce(String name, String owner) {
        toldAt.put(name + ' ' + owner, world.now());
    }

    private boolean isTaken(Peek.Belief belief) {
        return !takenAt.isEmpty() && takenAt.containsKey(belief.name() + ' ' + belief.owner());
    }

    /**
     * The server has lost its counter or stepped back its clock. Tokens go on from the clock; if they have run ahead of
     * it, their order is promised again only once the clock has passed them.
     */
    public void counterLost() {
        for (String name : names) {
            long highest = truth.highestToken(name);
            if (truth.nextToken(name) <= highest) {
                tokensExcusedBelow.put(name, highest);
            }
        }
    }

    /**
     * The queue of one lock is lost: a lock that was granted before goes on in the order that was told with it. So does one that
     * is granted soon after, if only the tickets are lost: those who have no ticket any more stand in the queue until somebody
     * looks at them, and come back behind others.
     */
    public void queueLost(String name) {
        rowsExcusedBelow.put(name, truth.nextToken(name) + TICKET_MICROS);
    }

    /** An old master gives tokens too, by its own clock: their order is promised again above what either has given. */
    public void twoCounters() {
        for (String name : names) {
            tokensExcusedBelow.merge(name, truth.highestToken(name), Math::max);
        }
    }

    /** Whether nothing has happened in the whole run that the timing model excludes. */
    public boolean modelWasKept() {
        return !driftBeyondModel
                && allExcusedUntil == 0
                && excusedUntil.isEmpty()
                && tokensExcusedBelow.isEmpty()
                && mayBeTaken.isEmpty();
    }

    private long tokensExcusedBelow(String name) {
        return tokensExcusedBelow.getOrDefault(name, 0L);
    }

    private boolean isExcused(String name) {
        return driftBeyondModel || allExcusedUntil > world.now() || excusedUntil.getOrDefault(name, 0L) > world.now();
    }

    // --- what the applications tell

    /**
     * Before an acquire is called: the highest token that somebody has been given already, of those it must be higher than.
     * Those who share a lock have no order among themselves.
     */
    public long floor(String name, Share share) {
        return (share.isWhole() ? highestReturned : highestWhole).getOrDefault(name, Long.MIN_VALUE);
    }

    /** An application was given the lock. */
    public void acquired(Party party, Peek.Belief belief, long floor, boolean fair, Share share) {
        String name = belief.name();
        long token = belief.token();
        boolean excused = token <= tokensExcusedBelow(name);
        // One that was passed on belongs to a grant; if the server has forgotten that, others have had higher ones
        // since.
        boolean passedOn = !truth.isGranted(name, token);
        if (passedOn) {
            hits.passedOn();
        } else {
            // What was taken from that owner was another grant, if it knew of one at all.
            takenAt.remove(name + ' ' + belief.owner());
        }
        boolean queueKept = token >= rowsExcusedBelow.getOrDefault(name, 0L);
        if ((fair || share.kind() == Share.Kind.PERMITS)
                && belief.isHeld()
                && queueKept
                && !isExcused(name)
                && !isTaken(belief)) {
            String given = Peek.heldAs(party.engine(), belief);
            // A permit may also come from a ticket of one who had another by then.
            if (passedOn || (given != null && !given.equals(belief.owner()))) {
                isNextInTheQueue(given, name);
            }
        }
        checkTurn(party, belief);
        if (!excused && token <= floor && !(passedOn && (isExcused(name) || isTaken(belief)))) {
            throw new Violation(
                    "I2",
                    "lock " + name + ": token " + token + " after " + floor + " had been given to somebody before");
        }
        if (!tokens.computeIfAbsent(name, n -> new HashSet<>()).add(token) && !excused) {
            throw new Violation("I2", "lock " + name + ": token " + token + " was given twice");
        }
        String uncounted = excused ? null : truth.uncounted(token);
        if (uncounted != null) {
            throw new Violation("I2", "lock " + name + ": token " + token + " was told, and counters are " + uncounted);
        }
        long lost = lostAt.getOrDefault(hold(belief.owner(), token), Long.MAX_VALUE);
        if (Math.max(lost, party.host().sleptUntil()) < world.now() - LOST_SLACK_NANOS) {
            throw new Violation("I5", "lock " + name + " was given to " + belief.owner() + ", who had lost it by then");
        }
        grants.merge(party.host().name(), 1L, Long::sum);
        highestReturned.merge(name, token, Math::max);
        if (share.isWhole()) {
            highestWhole.merge(name, token, Math::max);
        }
        held.add(new Held(party, belief, share));
        world.trace().add(party.host().name(), "holds " + name + " with", token);
        check();
    }

    /** One that stands in the store's queue may be given a lock within its client only before all others there. */
    private void isNextInTheQueue(@Nullable String given, String name) {
        if (given == null) {
            throw new Violation(
                    "L4", "lock " + name + ": one that stands in the store's queue was given it out of its turn");
        }
        Set<String> queue = truth.queue(name);
        for (String ahead : queue.contains(given) ? queue : Set.<String>of()) {
            if (ahead.equals(given)) {
                return;
            }
            if (truth.isWaiting(ahead)) {
                throw new Violation("L4", given + " was passed " + name + " before " + ahead + ", who came first");
            }
        }
    }

    /** While others of its client wait, a thread may take a lock again only for as long as its turn lasts. */
    private void checkTurn(Party party, Peek.Belief belief) {
        String key = party.host().name() + ' ' + belief.owner();
        Turn turn = turns.get(key);
        String as = Peek.heldAs(party.engine(), belief);
        if (turn == null || !belief.isTakenAgainAfter(turn.last()) || !Objects.equals(as, turn.as())) {
            turns.put(key, new Turn(belief.acquiredNanos(), belief, as));
            return;
        }
        long elapsed = belief.acquiredNanos() - turn.since();
        if (elapsed >= (as == null ? Peek.TURN_NANOS : Peek.TURN_IN_ROW_NANOS)) {
            throw new Violation(
                    "L4",
                    "a thread took " + belief.name() + " again " + elapsed / 1000
                            + " us after its turn began, while others of its client waited");
        }
        turns.put(key, new Turn(turn.since(), belief, as));
        hits.takenAgain();
    }

    /** How often a client was given a lock. */
    public long grants(Party party) {
        return grants.getOrDefault(party.host().name(), 0L);
    }

    /** The owners of what holders were told to have lost so far: that is left to its expiry. */
    public Set<String> lost() {
        return losses.keySet().stream()
                .map(hold -> hold.substring(0, hold.indexOf(" with ")))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** An application got true for its release. */
    public void released(Peek.Belief belief) {
        String hold = hold(belief.owner(), belief.token());
        if (losses.getOrDefault(hold, 0) > 0) {
            throw new Violation("I8", "owner " + hold + " was told of a loss, and that its release was good");
        }
        released.add(hold);
    }

    /** Owners have several holds in turn if they pass the lock on. */
    private static String hold(String owner, long token) {
        return owner + " with " + token;
    }

    /** The loss was signalled to listeners or to the holder of a handle. */
    public void lost(Hold lost, Loss loss) {
        String hold = hold(lost.owner(), lost.token());
        int times = losses.merge(hold, 1, Integer::sum);
        lostAt.putIfAbsent(hold, world.now());
        world.trace().add("listener", "LOST " + lost.lockName() + " " + loss.cause() + " by", lost.owner());
        if (times > 1) {
            throw new Violation("I8", "owner " + hold + " was told of its loss " + times + " times");
        }
        if (released.contains(hold)) {
            throw new Violation("I8", "owner " + hold + " was told of a loss after a clean release");
        }
    }

    /** Whoever lost its lease was told, if its process lived to hear it. */
    public void everyLossWasSignalled() {
        for (Held one : lostOwners) {
            if (!one.party.host().isDead() && !losses.containsKey(hold(one.belief.owner(), one.belief.token()))) {
                throw new Violation("I8", "the loss of " + one.belief.owner() + " was never signalled");
            }
        }
    }

    /** A holder writes to what the lock protects. */
    public void writes(Party party, String name, long token, boolean valid) {
        boolean accepted = resource.write(name, token);
        world.trace().add(party.host().name(), accepted ? "writes with" : "is refused with", token);
        if (!accepted) {
            hits.hit(1);
            boolean taken = held.stream()
                    .map(one -> one.belief)
                    .anyMatch(belief -> belief.name().equals(name) && belief.token() == token && isTaken(belief));
            if (valid && !isExcused(name) && !taken && token > tokensExcusedBelow(name)) {
                throw new Violation("I1", "lock " + name + ": a valid holder's write with " + token + " was refused");
            }
        }
    }

    // --- after every event

    /** Looks at everything. */
    public void check() {
        for (int i = held.size() - 1; i >= 0; i--) {
            Held one = held.get(i);
            if (one.party.host().isDead() || !one.belief.isHeld()) {
                if (one.belief.isLost()) {
                    lostOwners.add(one);
                }
                held.remove(i);
                continue;
            }
            if (remaining(one) > 0) {
                if (one.belief.isHeldTooLong(one.party.platform().nanoTime())) {
                    throw new Violation("L1", "the lock of " + one.belief.owner() + " is held beyond its maxHold");
                }
                isKnownToTheServer(one);
            } else {
                isDeclaredInTime(one);
            }
        }
        for (int i = 0; i < held.size(); i++) {
            for (int j = i + 1; j < held.size(); j++) {
                Held a = held.get(i);
                Held b = held.get(j);
                if (a.belief.name().equals(b.belief.name())
                        && remaining(a) > 0
                        && remaining(b) > 0
                        && !goTogether(a, b)) {
                    overlap(a, b);
                }
            }
        }
    }

    private boolean goTogether(Held a, Held b) {
        if (a.share.isWhole() || a.share.kind() != b.share.kind()) {
            return false;
        }
        int out = held.stream()
                .filter(one -> one.belief.name().equals(a.belief.name()) && remaining(one) > 0 && !isTaken(one.belief))
                .mapToInt(one -> one.share.weight())
                .sum();
        return a.share.isRead() || out <= a.share.permits();
    }

    private static long remaining(Held one) {
        return one.belief.remainingNanos(
                one.party.platform().nanoTime(), one.party.platform().wallMillis());
    }

    private void overlap(Held a, Held b) {
        String name = a.belief.name();
        if (isExcused(name) || isTaken(a.belief) || isTaken(b.belief)) {
            if (overlapping.add(a.belief.owner() + b.belief.owner())) {
                overlapsOutside++;
            }
            return;
        }
        throw new Violation(
                "I3",
                "lock " + name + ": " + a.belief.owner() + " with token " + a.belief.token() + " and "
                        + b.belief.owner() + " with token " + b.belief.token() + " both hold it");
    }

    private void isKnownToTheServer(Held one) {
        String name = one.belief.name();
        if (isExcused(name)) {
            return;
        }
        String instead = truth.instead(name, one.belief.owner(), one.belief.token(), one.share);
        one.wasKnown |= instead == null;
        if (instead != null && mayBeTaken.contains(name + ' ' + one.belief.owner())) {
            isToldInTime(one);
        } else if (instead != null) {
            throw new Violation(
                    "I5",
                    "lock " + name + ": " + one.belief.owner() + " believes for " + remaining(one) / 1_000_000
                            + " ms more that it holds it with token " + one.belief.token() + ", and the server has "
                            + instead);
        }
    }

    /** Who has lost a lock to an operator knows it when the news have come, or when it has renewed. */
    private void isToldInTime(Held one) {
        Peek.Belief belief = one.belief;
        Long known = takenAt.putIfAbsent(belief.name() + ' ' + belief.owner(), world.now());
        if (known == null) {
            hits.takenByForce();
            if (one.wasKnown) {
                // Whatever was told until now was told of something else that this owner had.
                toldAt.remove(belief.name() + ' ' + belief.owner());
            }
            return;
        }
        Long told = toldAt.get(belief.name() + ' ' + belief.owner());
        // The same owner may have been told before, and have been given it since it asked again.
        if (told != null
                && world.now() - told < one.party.platform().nanoTime() - belief.sinceNanos()
                && !one.party.host().isAsleep()
                && world.now() - Math.max(told, one.party.host().sleptUntil()) > LOST_SLACK_NANOS) {
            throw new Violation(
                    "I5",
                    "lock " + belief.name() + " was taken by force from " + belief.owner()
                            + ", and its client, which was told " + (world.now() - told) / 1_000_000
                            + " ms ago, believes in it all the same");
        }
        if (!undisturbedSince.test(one.party, known)) {
            return;
        }
        boolean listened = truth.tellsHolders() && one.party.link().inboxSince() < known;
        long renewal = one.party.platform().nanoTime() - belief.renewalNanos();
        boolean renewed = belief.renewalNanos() != Long.MAX_VALUE && renewal > TOLD_NANOS;
        if (world.now() - known > TOLD_NANOS && (listened || renewed)) {
            throw new Violation(
                    "I5",
                    "lock " + belief.name() + " was taken by force from " + belief.owner() + " "
                            + (world.now() - known) / 1_000_000 + " ms ago, and it was not told");
        }
    }

    private void isDeclaredInTime(Held one) {
        // By the monotonic clock: that is what timers go by. A step of the other is seen when they go off.
        long late = -one.belief.remainingNanos(one.party.platform().nanoTime(), Long.MIN_VALUE / 2_000_000);
        boolean asleep =
                one.party.host().isAsleep() || world.now() - one.party.host().sleptUntil() < LOST_SLACK_NANOS;
        if (!asleep && late > LOST_SLACK_NANOS) {
            throw new Violation(
                    "I8",
                    "lock " + one.belief.name() + ": the lease of " + one.belief.owner() + " ended " + late / 1_000_000
                            + " ms ago, and nobody was told");
        }
    }
}
