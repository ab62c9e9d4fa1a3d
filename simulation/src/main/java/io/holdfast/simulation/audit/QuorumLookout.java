package io.holdfast.simulation.audit;

import io.holdfast.internal.Peek;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * As {@link Liveness}, for a quorum: once faults are over, no server has a lock of somebody who neither holds nor wants it, and
 * nobody waits for a lock that is free everywhere.
 */
public final class QuorumLookout implements Lookout {
    private static final long LOOK_NANOS = 20_000_000L;

    /** The longest re-check, and what a vote and its repetitions take. */
    private static final long POLL_NANOS = 2_500_000_000L;

    /** A release wakes somebody: at once if a majority tells, and after twice the pace of the servers if fewer do. */
    private static final long WAKE_NANOS = 700_000_000L;

    private final World world;
    private final List<Server> servers;
    private final Network network;
    private final String prefix;
    private final List<String> names;
    private final List<Party> parties;
    private final LongSupplier disturbedUntil;
    private final Map<String, Long> since = new HashMap<>();
    private final Set<String> lostOwners = new HashSet<>();
    private long setBackNanos;

    public QuorumLookout(
            World world,
            List<Server> servers,
            Network network,
            String prefix,
            List<String> names,
            List<Party> parties,
            LongSupplier disturbedUntil) {
        this.world = world;
        this.servers = servers;
        this.network = network;
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
    public void lost(String owner) {
        lostOwners.add(owner);
    }

    @Override
    public void start() {
        world.after(LOOK_NANOS, () -> {
            look();
            start();
        });
    }

    private void look() {
        Set<String> seen = new HashSet<>();
        boolean all = servers.stream()
                .allMatch(server -> server.isUp()
                        && !server.host().isAsleep()
                        && server.model().mood() == ServerMood.NORMAL);
        if (all && world.now() > disturbedUntil.getAsLong() + setBackNanos) {
            for (String name : names) {
                left(name, seen);
                free(name, seen);
            }
        }
        since.keySet().retainAll(seen);
    }

    /** True once the problem has lasted for so long. */
    private boolean lasts(String problem, long nanos, Set<String> seen) {
        seen.add(problem);
        return world.now() - since.computeIfAbsent(problem, p -> world.now()) > nanos;
    }

    private void left(String name, Set<String> seen) {
        for (Server server : servers) {
            String holder = ServerAudit.owner(server.model().value(prefix + name));
            if (holder == null) {
                continue;
            }
            String owner = QuorumAudit.owner(holder);
            boolean known = isWaiting(owner) != null
                    || isOfTheDead(owner)
                    || lostOwners.contains(owner)
                    || parties.stream().anyMatch(party -> Peek.holds(party.engine(), owner));
            if (!known && lasts("lock " + holder + " on " + server.host().name(), patience(), seen)) {
                throw new Violation(
                        "H1",
                        "lock " + name + " is left to " + holder + " on "
                                + server.host().name() + ", who does not hold it any more");
            }
        }
    }

    /** A lock that is free on all servers goes to whoever waits for it. */
    private void free(String name, Set<String> seen) {
        if (servers.stream()
                .anyMatch(server -> !server.model().type(prefix + name).equals("none"))) {
            return;
        }
        for (Party party : parties) {
            if (party.host().isDead()
                    || party.host().isAsleep()
                    || !network.isSound(party.host().name())) {
                continue;
            }
            boolean waits = Peek.isRefused(party.engine(), name);
            boolean hears = party.link().inboxSince() < world.now() - WAKE_NANOS;
            if (waits && lasts("free " + name + party.host().name(), hears ? WAKE_NANOS : POLL_NANOS, seen)) {
                throw new Violation(
                        "L2", "lock " + name + " is free, and " + party.host().name() + " waits for it");
            }
        }
    }

    private long patience() {
        return 700_000_000L
                + 3 * parties.stream().mapToLong(Party::timeoutNanos).max().orElse(0);
    }

    private @Nullable Party isWaiting(String owner) {
        for (Party party : parties) {
            if (!party.host().isDead() && Peek.waiting(party.engine()).contains(owner)) {
                return party;
            }
        }
        return null;
    }

    private boolean isOfTheDead(String owner) {
        return parties.stream()
                .anyMatch(party -> (party.host().isDead() || party.platform().isClosed())
                        && owner.startsWith(Peek.clientId(party.engine()) + ":"));
    }
}
