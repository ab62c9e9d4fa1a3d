package io.holdfast.simulation.audit;

import io.holdfast.simulation.net.Commands;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the server before and after every command: that only its owner renews or releases a lock (I4), that no lease
 * gets shorter, and that nothing is left without an expiry (H1). Also notes which faults of the catalogue came true.
 */
public final class ServerAudit implements Server.Watcher {
    /** Half of what Lua can count to: tokens from a clock do not get there for decades. */
    private static final long HIGH = 1L << 52;

    private record State(String key, String queue, @Nullable String value, long expiry, Shares shares) {}

    private final World world;
    private final Hits hits;
    private final Predicate<String> isWaiting;
    private final Map<String, Long> unconfirmed = new LinkedHashMap<>();
    private final Set<String> orphans = new LinkedHashSet<>();
    private final Set<String> granted = new HashSet<>();
    private final Set<String> releasedOwners = new HashSet<>();
    private final Set<Long> firstTokens = new HashSet<>();
    private long highestToken;
    private final List<State> before = new ArrayList<>();
    private List<String> waitingBefore = List.of();
    private @Nullable RedisModel model;

    public ServerAudit(World world, Hits hits, Predicate<String> isWaiting) {
        this.world = world;
        this.isWaiting = isWaiting;
        this.hits = hits;
    }

    /** The server it looks at: set once, since each needs the other. */
    public void looksAt(Server server) {
        model = server.model();
    }

    /** Owners that were granted the lock by somebody's release and have not asked since, with the moment. */
    public Map<String, Long> unconfirmed() {
        return unconfirmed;
    }

    /** Owners whose acquire was overtaken by their release: their clients must see to it that nothing comes of it. */
    public Set<String> orphans() {
        return orphans;
    }

    private RedisModel model() {
        RedisModel present = model;
        if (present == null) {
            throw new IllegalStateException("it was not told which server to look at");
        }
        return present;
    }

    @Override
    public void before(List<String> command) {
        before.clear();
        if (Set.of("acquire", "release", "renew").contains(Commands.kind(command))) {
            int locks = Commands.locks(command);
            for (int i = 0; i < locks; i++) {
                before.add(state(Commands.key(command, i), Commands.key(command, locks + i)));
            }
            waitingBefore = Commands.kind(command).equals("renew")
                    ? List.of()
                    : liveTickets(model(), Commands.key(command, 1), Commands.key(command, 2));
        }
    }

    private State state(String key, String queue) {
        return new State(key, queue, model().value(key), model().expiresAtMillis(key), Shares.of(model(), key, queue));
    }

    @Override
    public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
        if (before.isEmpty()) {
            return;
        }
        String kind = Commands.kind(command);
        String gaveUp = kind.equals("acquire") ? Commands.before(command) : null;
        if ((!kind.equals("acquire") || gaveUp != null)
                && reply instanceof RedisModel.ErrorReply error
                && error.message().contains("OOM")) {
            throw new Violation("L5", kind + " does not work on a server without memory");
        }
        if (reply instanceof RedisModel.ErrorReply error) {
            refused(error.message());
        }
        for (int i = 0; i < before.size(); i++) {
            String owner = Commands.argument(command, kind.equals("renew") ? 2 * i : 1);
            State then = before.get(i);
            if (kind.equals("renew") && isNamed(command, then)) {
                owner = String.valueOf(owner(then.value()));
            }
            State now = state(then.key(), then.queue());
            judge(kind, owner, gaveUp, then, now);
            judgeShares(command, owner, gaveUp, then, now);
            if (gaveUp != null) {
                notice(command, "release", gaveUp, then, late || again);
            }
            notice(command, kind, owner, then, late || again);
        }
        if (!kind.equals("renew")) {
            everythingExpires(command);
        }
        if (kind.equals("acquire")) {
            isServedInTurn(command, Commands.argument(command, 1), gaveUp);
        }
        if (kind.equals("release")) {
            isPassedOn(command, Commands.argument(command, 1));
        } else if (gaveUp != null) {
            isPassedOn(command, gaveUp);
        }
        if (kind.equals("acquire") && late && !again) {
            String owner = Commands.argument(command, 1);
            if (releasedOwners.contains(owner)) {
                orphans.add(owner);
            }
        }
    }

    /** A server that refuses, in one of its ways. */
    private void refused(String error) {
        if (error.startsWith("NOPERM")) {
            hits.hit(23);
        } else if (error.startsWith("OOM")) {
            hits.hit(34);
        } else if (!error.startsWith("NOSCRIPT")) {
            hits.hit(26);
        }
    }

    /** Whether the holder of the lock is one of those a renewal names for it. */
    private static boolean isNamed(List<String> command, State then) {
        return isNamed(command, then.key(), owner(then.value()));
    }

    private static boolean isNamed(List<String> command, String key, @Nullable String owner) {
        for (int i = 0; i < Commands.locks(command); i++) {
            if (Commands.key(command, i).equals(key)
                    && Commands.argument(command, 2 * i).equals(owner)) {
                return true;
            }
        }
        return false;
    }

    /** A share is taken away by its owner or by time, gets no shorter, and is renewed by its owner alone. */
    private void judgeShares(List<String> command, String actor, @Nullable String gaveUp, State then, State now) {
        String kind = Commands.kind(command);
        then.shares().expiries().forEach((owner, expiry) -> {
            Long left = now.shares().expiries().get(owner);
            boolean itsOwn = kind.equals("renew") ? isNamed(command, then.key(), owner) : owner.equals(actor);
            boolean over = expiry <= model().nowMillis();
            if (left == null) {
                boolean given = kind.equals("release") ? itsOwn : owner.equals(gaveUp);
                if (!given && !over) {
                    throw new Violation(
                            "I4", kind + " by " + actor + " took a share of " + then.key() + " from " + owner);
                }
            } else if (left < expiry) {
                throw new Violation("I4", kind + " by " + actor + " shortened the share of " + owner);
            } else if (left > expiry && (!itsOwn || (over && !isNew(owner, then, now)))) {
                throw new Violation("I4", kind + " by " + actor + " renewed the share of " + owner);
            }
        });
        now.shares().expiries().keySet().forEach(owner -> {
            if (isNew(owner, then, now)) {
                if (kind.equals("renew")) {
                    throw new Violation(
                            "I4", "a renewal by " + actor + " gave a share of " + now.key() + " to " + owner);
                }
                long token = now.shares().token(owner);
                firstTokens.add(token);
                highestToken = Math.max(highestToken, token);
                grantedNow(actor, owner);
            }
        });
    }

    private void judge(String kind, String actor, @Nullable String gaveUp, State then, State now) {
        String owner = owner(then.value());
        String ownerNow = owner(now.value());
        if (ownerNow != null && !ownerNow.equals(owner)) {
            if (kind.equals("renew")) {
                throw new Violation("I4", "a renewal by " + actor + " gave " + now.key() + " to " + ownerNow);
            }
            firstTokens.add(token(now.value()));
            highestToken = Math.max(highestToken, lastToken(now.value()));
            if (highestToken > HIGH) {
                hits.hit(58);
            }
            grantedNow(actor, ownerNow);
        }
        if (owner == null) {
            return;
        }
        if (!Objects.equals(then.value(), now.value())) {
            boolean itsOwn = kind.equals("release") ? actor.equals(owner) : owner.equals(gaveUp);
            if (!itsOwn) {
                throw new Violation("I4", kind + " by " + actor + " took " + then.key() + " from " + owner);
            }
        } else if (now.expiry() < then.expiry()) {
            throw new Violation("I4", kind + " by " + actor + " shortened the lease of " + owner);
        } else if (now.expiry() > then.expiry() && (kind.equals("release") || !actor.equals(owner))) {
            throw new Violation("I4", kind + " by " + actor + " renewed " + then.key() + " for " + owner);
        }
    }

    private static boolean isNew(String owner, State then, State now) {
        return !then.shares().expiries().containsKey(owner)
                || then.shares().token(owner) != now.shares().token(owner);
    }

    private void grantedNow(String actor, String owner) {
        granted.add(owner);
        if (actor.equals(owner)) {
            unconfirmed.remove(owner);
        } else {
            unconfirmed.put(owner, world.now());
            if (!isWaiting.test(owner)) {
                hits.hit(45);
            }
        }
    }

    /** Which faults have come true. */
    private void notice(List<String> command, String kind, String actor, State then, boolean late) {
        String owner = owner(then.value());
        boolean others = owner != null && !owner.equals(actor);
        switch (kind) {
            case "acquire" -> {
                if (actor.equals(owner) && !unconfirmed.containsKey(actor)) {
                    hits.hit(15);
                }
                unconfirmed.remove(actor);
                if (late) {
                    hits.hit(16);
                }
                if (then.value() != null && owner == null) {
                    hits.hit(then.value().startsWith("hf") ? 40 : 39);
                }
            }
            case "release" -> {
                unconfirmed.remove(actor);
                if (actor.equals(owner)
                        && model().sortedSet(Commands.key(command, 1)).size() > 1) {
                    hits.hit(44);
                }
                if (late && others) {
                    hits.hit(17);
                }
                if (!releasedOwners.add(actor) && granted.contains(actor)) {
                    hits.hit(19);
                }
            }
            default -> {
                if (releasedOwners.contains(actor)) {
                    hits.hit(18);
                } else if (others && granted.contains(actor)) {
                    hits.hit(6);
                }
            }
        }
    }

    /** Nobody is given the lock while another waits who came before; but for one that had it whole and reads on. */
    private void isServedInTurn(List<String> command, String actor, @Nullable String gaveUp) {
        State now = state(Commands.key(command, 0), Commands.key(command, 1));
        State then = before.get(0);
        boolean readsOn = gaveUp != null
                && gaveUp.equals(owner(then.value()))
                && !now.shares().expiries().isEmpty();
        boolean whole = actor.equals(owner(now.value()));
        boolean given = whole ? !actor.equals(owner(then.value())) : isHeld(now, actor) && isNew(actor, then, now);
        if (!given || readsOn) {
            return;
        }
        List<String> waiting = liveTickets(model(), Commands.key(command, 1), Commands.key(command, 2));
        for (String ahead : waitingBefore) {
            if (ahead.equals(actor) || ahead.equals(gaveUp)) {
                return;
            }
            if (waiting.contains(ahead)) {
                throw new Violation("L4", actor + " was given " + now.key() + " before " + ahead + ", who came first");
            }
        }
    }

    /** A lock that is given back goes to the first who waits, at once. */
    private void isPassedOn(List<String> command, String by) {
        String lock = Commands.key(command, 0);
        State now = state(lock, Commands.key(command, 1));
        if (!isHeld(before.get(0), by) || isHeld(now, by)) {
            return;
        }
        List<String> waiting = liveTickets(model(), Commands.key(command, 1), Commands.key(command, 2));
        String first = waiting.isEmpty()
                ? null
                : model().hash(Commands.key(command, 2)).get(waiting.get(0));
        if (first != null && now.shares().fits(now.value(), first, model().nowMillis())) {
            throw new Violation("L2", lock + " was given back, and not passed on to " + waiting.get(0));
        }
    }

    private static boolean isHeld(State state, String by) {
        return by.equals(owner(state.value())) || state.shares().expiries().containsKey(by);
    }

    /** Who waits for a lock, as far as the server knows. Tickets that have expired stay until somebody comes by. */
    static List<String> liveTickets(RedisModel model, String queue, String tickets) {
        Map<String, String> expiries = model.hash(tickets);
        return model.sortedSet(queue).keySet().stream()
                .filter(owner -> {
                    String ticket = expiries.get(owner);
                    return ticket != null
                            && Long.parseLong(ticket.substring(0, ticket.indexOf(' '))) > model.nowMillis();
                })
                .toList();
    }

    private void everythingExpires(List<String> command) {
        for (int i = 0; i < Commands.keys(command); i++) {
            String key = Commands.key(command, i);
            boolean foreign = i == 0
                    && owner(model().value(key)) == null
                    && !model().type(key).equals("zset");
            // The counter of tokens is the one thing that stays.
            if (i != 3
                    && !foreign
                    && model().expiresAtMillis(key) == -1
                    && !model().type(key).equals("none")) {
                throw new Violation("H1", key + " has no expiry after " + Commands.kind(command));
            }
        }
    }

    /** The highest token that the server has granted, whether or not anybody has heard of it. */
    public long highestToken() {
        return highestToken;
    }

    /** Whether the server has granted a lock with this token, and it is not one that was passed on. */
    boolean isGranted(long token) {
        return firstTokens.contains(token);
    }

    /** Whether a lock with that value is the owner's, and the token one of those it was granted with. */
    static boolean covers(@Nullable String value, String owner, long token) {
        return owner.equals(owner(value)) && token(value) <= token && token <= lastToken(value);
    }

    private static long token(@Nullable String value) {
        return value == null ? 0 : Long.parseLong(tokens(value)[0]);
    }

    private static long lastToken(@Nullable String value) {
        if (value == null) {
            return 0;
        }
        String[] tokens = tokens(value);
        return Long.parseLong(tokens[0]) + (tokens.length > 1 ? Long.parseLong(tokens[1]) : 0);
    }

    private static String[] tokens(String value) {
        return value.substring(value.lastIndexOf(':') + 1).split("\\+", -1);
    }

    /** Who holds the lock with that value; null if it is none of ours. */
    public static @Nullable String owner(@Nullable String value) {
        if (value == null || !value.startsWith("hf1:")) {
            return null;
        }
        return value.substring(4, value.lastIndexOf(':'));
    }
}
