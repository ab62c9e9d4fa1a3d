package io.holdfast.simulation.audit;

import io.holdfast.internal.Peek;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks, from time to time, whether something is left lying: a ticket or a grant of somebody who does not wait any more, a
 * lock of somebody who does not hold it, a grant whose waiter was not woken, a free lock that somebody waits for. While
 * faults are at work such things may be; once they are over, each must have gone within its bound.
 */
public final class Liveness implements Lookout {
    private static final long LOOK_NANOS = 20_000_000L;
    private static final long WAKE_NANOS = 300_000_000L;
    /** A third of a ticket's life and a quarter of that, as the re-check is drawn. */
    private static final long POLL_NANOS = 2_500_000_000L + WAKE_NANOS;

    private final World world;
    private final Function<String, Server> home;
    private final Predicate<String> isInReach;
    private final Network network;
    private final ServerAudit audit;
    private final Latches latches;
    private final String prefix;
    private final List<String> names;
    private final List<Party> parties;
    private final LongSupplier disturbedUntil;
    private final Map<String, Long> since = new HashMap<>();
    private long setBackNanos;
    private final Set<String> lostOwners = new HashSet<>();

    /**
     * A look at everything.
     *
     * @param home where a lock is
     * @param isInReach whether whoever is sound can use it, if its server is there
     * @param disturbedUntil when the last fault was, or will be, over
     */
    public Liveness(
            World world,
            Function<String, Server> home,
            Predicate<String> isInReach,
            Network network,
            ServerAudit audit,
            Latches latches,
            String prefix,
            List<String> names,
            List<Party> parties,
            LongSupplier disturbedUntil) {
        this.world = world;
        this.home = home;
        this.isInReach = isInReach;
        this.network = network;
        this.audit = audit;
        this.latches = latches;
        this.prefix = prefix;
        this.names = names;
        this.parties = parties;
        this.disturbedUntil = disturbedUntil;
    }

    @Override
    public void setBack(long nanos) {
        setBackNanos += nanos;
    }

    @Override
    public void start() {
        world.after(LOOK_NANOS, () -> {
            look();
            start();
        });
    }

    private void look() {
        if (names.stream().anyMatch(name -> !isThere(name))) {
            // Nobody could do anything about it in this time.
            since.clear();
            return;
        }
        Set<String> seen = new HashSet<>();
        wakeUps(seen);
        orphans(seen);
        latch(seen);
        if (world.now() > disturbedUntil.getAsLong()) {
            for (String name : names) {
                tickets(name, seen);
                lock(name, seen);
                free(name, seen);
            }
        }
        since.keySet().retainAll(seen);
    }

    private boolean isThere(String name) {
        Server server = home.apply(name);
        return server.isUp() && !server.host().isAsleep() && isInReach.test(name);
    }

    private RedisModel model(String name) {
        return home.apply(name).model();
    }

    /** True once the problem has lasted for so long. */
    private boolean lasts(String problem, long nanos, Set<String> seen) {
        seen.add(problem);
        return world.now() - since.computeIfAbsent(problem, p -> world.now()) > nanos;
    }

    /** Who was granted the lock, and can hear, asks for it. */
    private void wakeUps(Set<String> seen) {
        for (String owner : audit.unconfirmed().keySet()) {
            Party party = waiter(owner);
            if (party == null || !hears(party) || !isHolder(owner)) {
                continue;
            }
            if (lasts("wake " + owner, WAKE_NANOS, seen)) {
                throw new Violation(
                        "L2", owner + " was granted the lock " + WAKE_NANOS / 1_000_000 + " ms ago, and does not know");
            }
        }
    }

    /** Who waits for a latch looks when it is told to, and from time to time without that. */
    private void latch(Set<String> seen) {
        latches.looks().keySet().removeIf(id -> waiter(id) == null);
        latches.told().keySet().removeIf(id -> waiter(id) == null);
        latches.told().forEach((id, since) -> {
            Party party = waiter(id);
            if (party != null
                    && hears(party)
                    && party.link().inboxSince() < since
                    && lasts("told " + id, WAKE_NANOS, seen)) {
                throw new Violation("L2", id + " was told of the latch " + WAKE_NANOS / 1_000_000 + " ms ago in vain");
            }
        });
        latches.looks().forEach((id, last) -> {
            Party party = waiter(id);
            if (party != null && isConnected(party) && world.now() > disturbedUntil.getAsLong()) {
                long from = Math.max(last, disturbedUntil.getAsLong());
                if (world.now() - from > POLL_NANOS + 2 * party.timeoutNanos()) {
                    throw new Violation("L2", id + " waits for the latch, and does not look again");
                }
            }
        });
    }

    /** An acquire that its own release has overtaken is released once more, without anybody waiting for an expiry. */
    private void orphans(Set<String> seen) {
        // Once gone, it comes back by another message alone, or with a server that is restored from what was saved
        // before.
        audit.orphans()
                .removeIf(owner -> !isHolder(owner)
                        && names.stream().noneMatch(name -> live(name).contains(owner)));
        for (String owner : audit.orphans()) {
            Party party = client(owner);
            if (party != null
                    && !party.platform().isClosed()
                    && isConnected(party)
                    && lasts("orphan " + owner, 1_500_000_000L + 2 * party.timeoutNanos() + setBackNanos, seen)) {
                throw new Violation(
                        "H1", "what a late acquire of " + owner + " has brought is left, after its release");
            }
        }
    }

    private @Nullable Party client(String owner) {
        for (Party party : parties) {
            if (owner.startsWith(Peek.clientId(party.engine()) + ":")) {
                return party;
            }
        }
        return null;
    }

    private boolean isHolder(String owner) {
        return names.stream()
                .anyMatch(name -> owner.equals(ServerAudit.owner(model(name).value(prefix + name)))
                        || shares(name).expiries().containsKey(owner));
    }

    private boolean isConnected(Party party) {
        return !party.host().isDead()
                && !party.host().isAsleep()
                && network.isSound(party.host().name())
                && names.stream().allMatch(name -> model(name).mood() == ServerMood.NORMAL);
    }

    private boolean hears(Party party) {
        return isConnected(party)
                && world.now() > disturbedUntil.getAsLong() - 2_000_000_000L
                && party.link().inboxSince() < world.now();
    }

    private void tickets(String name, Set<String> seen) {
        for (String owner : live(name)) {
            if (waiter(owner) == null
                    && !isServed(owner, name)
                    && !isOfTheDead(owner)
                    && lasts("ticket " + owner, patience(), seen)) {
                throw new Violation("H1", "a ticket of " + owner + " is left, who does not wait any more");
            }
        }
    }

    /** It has had the lock in its turn, and its ticket goes when the last of those behind it gives it back. */
    private boolean isServed(String owner, String name) {
        return parties.stream()
                .anyMatch(party -> Peek.served(party.engine(), name).contains(owner));
    }

    private List<String> live(String name) {
        String tag = ":{" + prefix + name + "}";
        return ServerAudit.liveTickets(model(name), prefix + "~queue" + tag, prefix + "~tickets" + tag);
    }

    /** A lock that was freed by its expiry, which tells nobody, goes to whoever waits for it by the next re-check. */
    private void free(String name, Set<String> seen) {
        if (model(name).type(prefix + name).equals("none")) {
            for (String owner : live(name)) {
                Party party = waiter(owner);
                if (party != null && hears(party) && lasts("free " + name + owner, POLL_NANOS, seen)) {
                    throw new Violation("L2", "lock " + name + " is free, and " + owner + " waits for it");
                }
            }
        }
    }

    private Shares shares(String name) {
        return Shares.of(model(name), prefix + name, prefix + "~queue:{" + prefix + name + "}");
    }

    private void lock(String name, Set<String> seen) {
        String owner = ServerAudit.owner(model(name).value(prefix + name));
        if (owner != null) {
            held(name, owner, seen);
        }
        shares(name).expiries().forEach((one, expiry) -> {
            // One whose time is over stays until somebody comes by.
            if (expiry > model(name).nowMillis()) {
                held(name, one, seen);
            }
        });
    }

    private void held(String name, String owner, Set<String> seen) {
        boolean known = waiter(owner) != null
                || isOfTheDead(owner)
                || parties.stream().anyMatch(party -> Peek.holds(party.engine(), owner));
        if (!known && lasts("lock " + owner, patience(), seen) && !lostOwners.contains(owner)) {
            throw new Violation("H1", "lock " + name + " is left to " + owner + ", who does not hold it any more");
        }
    }

    @Override
    public void lost(String owner) {
        lostOwners.add(owner);
    }

    private long patience() {
        return 500_000_000L
                + 3 * parties.stream().mapToLong(Party::timeoutNanos).max().orElse(0);
    }

    private @Nullable Party waiter(String owner) {
        for (Party party : parties) {
            if (!party.host().isDead() && Peek.waiting(party.engine()).contains(owner)) {
                return party;
            }
        }
        return null;
    }

    /** Whoever died or was closed amid a fault leaves what it had to its expiry. */
    private boolean isOfTheDead(String owner) {
        return parties.stream()
                .anyMatch(party -> (party.host().isDead() || party.platform().isClosed())
                        && owner.startsWith(Peek.clientId(party.engine()) + ":"));
    }
}
