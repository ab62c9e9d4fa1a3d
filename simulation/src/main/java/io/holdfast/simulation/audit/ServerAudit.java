package io.holdfast.simulation.audit;

import io.holdfast.simulation.net.Commands;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.redis.ServerMood;
import io.holdfast.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the server before and after every command: that only its owner renews or releases a lock (I4), that no lease
 * gets shorter, and that nothing is left without an expiry (H1). Also notes which faults of the catalogue came true.
 */
public final class ServerAudit implements Server.Watcher {
    /** Half of what Lua can count to: tokens from a clock do not get there for decades. */
    private static final long HIGH = 1L << 52;
    /** What lock.lua replies to a request that comes after its time. */
    private static final Long TOO_LATE = 4L;
    /** What it replies to one that is to wait. */
    private static final Long QUEUED = 2L;
    /** How long a ticket lives, and for how long one must not have asked that is passed over where order is a promise, ms. */
    private static final long TICKET = 6_000;

    private static final long SILENCE = 500;

    /** A lock, and who waits for it. */
    private record State(
            String key,
            String queue,
            String tickets,
            @Nullable String value,
            long expiry,
            Shares shares,
            List<String> waiting,
            Set<String> passedOver) {
        /** Who is to have it next. */
        @Nullable
        String next() {
            return waiting.stream()
                    .filter(owner -> !passedOver.contains(owner))
                    .findFirst()
                    .orElse(null);
        }
    }

    private final World world;
    private final Hits hits;
    private final Predicate<String> isWaiting;
    private final Latches latches;
    private final Map<String, Long> unconfirmed = new LinkedHashMap<>();
    private final Set<String> orphans = new LinkedHashSet<>();
    private final Set<String> granted = new HashSet<>();
    private final Set<String> releasedOwners = new HashSet<>();
    private final Set<String> everPassedOver = new HashSet<>();
    private final Set<String> firstTokens = new HashSet<>();
    private final Map<String, Long> highestTokens = new HashMap<>();
    private final List<State> before = new ArrayList<>();
    private @Nullable RedisModel model;

    public ServerAudit(World world, Hits hits, Predicate<String> isWaiting, Latches latches) {
        this.latches = latches;
        this.world = world;
        this.isWaiting = isWaiting;
        this.hits = hits;
    }

    /** The server it looks at: set once, since each needs the other. */
    public void looksAt(Server server) {
        model = server.model();
    }

    /** Looks at one of several servers, whenever that does something. */
    public Server.Watcher at(Supplier<Server> which) {
        return new Server.Watcher() {
            @Override
            public void before(List<String> command) {
                looksAt(which.get());
                if (isJudged(command)) {
                    ServerAudit.this.before(command);
                }
            }

            @Override
            public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
                if (isJudged(command)) {
                    ServerAudit.this.after(command, reply, late, again);
                }
            }

            /** A latch is where it is: what a server does that has it no more is of no consequence. */
            private boolean isJudged(List<String> command) {
                return !Commands.kind(command).equals("latch") || latches.isAt(which.get());
            }
        };
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
        switch (Commands.kind(command)) {
            case "acquire", "release" ->
                Commands.parts(command).forEach(part -> before.add(state(part.lock(), part.queue(), part.tickets())));
            case "renew" -> {
                int locks = Commands.renewals(command);
                // By its key alone, by who never shares, and while its slot is moved.
                boolean alone = Commands.keys(command) == locks;
                for (int i = 0; i < locks; i++) {
                    String queue = alone ? "" : Commands.key(command, locks + i).replaceFirst("~holds:", "~queue:");
                    before.add(state(Commands.key(command, i), queue, ""));
                }
            }
            case "latch" -> latches.before();
            default -> {}
        }
    }

    private State state(String key, String queue, String tickets) {
        List<String> waiting = tickets.isEmpty() ? List.of() : liveTickets(model(), queue, tickets);
        return new State(
                key,
                queue,
                tickets,
                model().value(key),
                model().expiresAtMillis(key),
                Shares.of(model(), key, queue),
                waiting,
                waiting.stream()
                        .filter(owner -> ticket(tickets, owner)[1].startsWith("-"))
                        .collect(Collectors.toSet()));
    }

    private String[] ticket(String tickets, String owner) {
        return Objects.requireNonNull(model().hash(tickets).get(owner)).split(" ", -1);
    }

    private State now(State then) {
        return state(then.key(), then.queue(), then.tickets());
    }

    @Override
    public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
        String kind = Commands.kind(command);
        if (kind.equals("latch")) {
            latches.after(command, reply);
        }
        if (before.isEmpty()) {
            return;
        }
        boolean mustWork = !kind.equals("acquire") || Commands.before(command) != null;
        if (mustWork
                && reply instanceof RedisModel.ErrorReply error
                && error.message().contains("OOM")) {
            throw new Violation("L5", kind + " does not work on a server without memory");
        }
        if (reply instanceof RedisModel.ErrorReply error) {
            refused(error.message());
        }
        if (kind.equals("renew")) {
            renewed(command, late || again);
            return;
        }
        List<Commands.Part> parts = Commands.parts(command);
        for (int i = 0; i < parts.size(); i++) {
            changed(kind, parts, parts.get(i), before.get(i), late || again);
            String owner = parts.get(i).owner();
            if (reply instanceof List<?> list
                    && QUEUED.equals(list.get(0))
                    && now(before.get(i)).passedOver().contains(owner)) {
                throw new Violation(
                        "L4", owner + " has asked for " + before.get(i).key() + ", and is passed over");
            }
            // Under one that an operator has released it may still be waited, and asked.
            if (kind.equals("acquire") && late && !again && releasedOwners.contains(owner) && !isWaiting.test(owner)) {
                orphans.add(owner);
            }
        }
        everythingExpires(command, parts);
        if (Commands.isAllOrNone(command)) {
            isAllOrNone(parts, reply);
        }
    }

    private void renewed(List<String> command, boolean late) {
        for (int i = 0; i < before.size(); i++) {
            State then = before.get(i);
            State now = now(then);
            Set<String> owners = new HashSet<>();
            for (int j = 0; j < before.size(); j++) {
                if (Commands.key(command, j).equals(then.key())) {
                    owners.add(Commands.renewedBy(command, j));
                }
            }
            judge("renew", owners, Set.of(), then, now);
            judgeShares("renew", owners, Set.of(), then, now);
            notice("renew", Commands.renewedBy(command, i), then, late);
        }
    }

    /** What an acquire or a release has done to one lock. */
    private void changed(String kind, List<Commands.Part> parts, Commands.Part part, State then, boolean late) {
        State now = now(then);
        // A client that is closed gives back all it has, and several of its threads may have read.
        Set<String> owners = new HashSet<>();
        Set<String> mayLeave = new HashSet<>();
        for (Commands.Part one : parts) {
            if (one.lock().equals(part.lock())) {
                owners.add(one.owner());
                if (kind.equals("release")) {
                    mayLeave.add(one.owner());
                    mayLeave.addAll(one.served());
                } else if (one.before() != null) {
                    mayLeave.add(one.before());
                }
            }
        }
        judge(kind, owners, mayLeave, then, now);
        judgeShares(kind, owners, mayLeave, then, now);
        String gaveUp = part.before();
        if (gaveUp != null && !gaveUp.equals(part.owner())) {
            notice("release", gaveUp, then, late);
        }
        notice(kind, part.owner(), then, late);
        boolean isLeft = kind.equals("release");
        isRightlyPassedOver(isLeft ? part.owner() : gaveUp, isLeft, then, now);
        if (kind.equals("acquire")) {
            isServedInTurn(part.owner(), gaveUp, then, now);
            keepsThePlace(part.owner(), gaveUp, then, now);
        }
        if (kind.equals("release")) {
            isPassedOn(part.owner(), then, now);
        } else if (gaveUp != null) {
            isPassedOn(gaveUp, then, now);
        }
    }

    /** If one of several was not to be had, none of them is kept. A request that comes too late, be it a copy, changes nothing. */
    private void isAllOrNone(List<Commands.Part> parts, @Nullable Object reply) {
        if (reply instanceof List<?> replies
                && replies.get(replies.size() - 1) instanceof List<?> last
                && !Long.valueOf(1).equals(last.get(0))) {
            boolean tooLate = TOO_LATE.equals(last.get(0));
            for (int i = 0; i < parts.size(); i++) {
                State then = before.get(i);
                String owner = parts.get(i).owner();
                if (isHeld(now(then), owner) && !(tooLate && isHeld(then, owner))) {
                    throw new Violation(
                            "H1",
                            owner + " was not given all, and is left with "
                                    + parts.get(i).lock());
                }
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

    /**
     * A share is taken away by its owner or by time, gets no shorter, and is renewed by its owner alone.
     *
     * @param actors who asked
     * @param mayLeave which of those who hold it may have given it up by that
     */
    private void judgeShares(String kind, Set<String> actors, Set<String> mayLeave, State then, State now) {
        then.shares().expiries().forEach((owner, expiry) -> {
            Long left = now.shares().expiries().get(owner);
            boolean over = expiry <= model().nowMillis();
            if (left == null) {
                if (!mayLeave.contains(owner) && !over) {
                    throw new Violation(
                            "I4", kind + " by " + actors + " took a share of " + then.key() + " from " + owner);
                }
            } else if (left < expiry) {
                throw new Violation("I4", kind + " by " + actors + " shortened the share of " + owner);
            } else if (left > expiry && (!actors.contains(owner) || (over && !isNew(owner, then, now)))) {
                throw new Violation("I4", kind + " by " + actors + " renewed the share of " + owner);
            }
        });
        now.shares().expiries().keySet().forEach(owner -> {
            if (isNew(owner, then, now)) {
                if (kind.equals("renew")) {
                    throw new Violation(
                            "I4", "a renewal by " + actors + " gave a share of " + now.key() + " to " + owner);
                }
                given(now.key(), now.shares().token(owner), now.shares().lastToken(owner));
                grantedNow(actors, owner);
            }
        });
    }

    private void judge(String kind, Set<String> actors, Set<String> mayLeave, State then, State now) {
        String owner = owner(then.value());
        String ownerNow = owner(now.value());
        if (ownerNow != null && !ownerNow.equals(owner)) {
            if (kind.equals("renew")) {
                throw new Violation("I4", "a renewal by " + actors + " gave " + now.key() + " to " + ownerNow);
            }
            given(now.key(), token(now.value()), lastToken(now.value()));
            grantedNow(actors, ownerNow);
        }
        if (owner == null) {
            return;
        }
        if (!Objects.equals(then.value(), now.value())) {
            if (!mayLeave.contains(owner)) {
                throw new Violation("I4", kind + " by " + actors + " took " + then.key() + " from " + owner);
            }
        } else if (now.expiry() < then.expiry()) {
            throw new Violation("I4", kind + " by " + actors + " shortened the lease of " + owner);
        } else if (now.expiry() > then.expiry() && (kind.equals("release") || !actors.contains(owner))) {
            throw new Violation("I4", kind + " by " + actors + " renewed " + then.key() + " for " + owner);
        }
    }

    private void given(String lock, long token, long last) {
        firstTokens.add(lock + " " + token);
        highestTokens.merge(lock, last, Math::max);
        if (last > HIGH) {
            hits.hit(58);
        }
    }

    private static boolean isNew(String owner, State then, State now) {
        return !then.shares().expiries().containsKey(owner)
                || then.shares().token(owner) != now.shares().token(owner);
    }

    private void grantedNow(Set<String> actors, String owner) {
        granted.add(owner);
        if (actors.contains(owner)) {
            unconfirmed.remove(owner);
        } else {
            unconfirmed.put(owner, world.now());
            if (!isWaiting.test(owner)) {
                hits.hit(45);
            }
        }
    }

    /** Whether a client that lives has somebody who waits under that id. */
    boolean isWaiting(String owner) {
        return isWaiting.test(owner);
    }

    /** The same, of one that was not passed over: others may be served by what was given to them before it asked again. */
    boolean isToBeServedInTurn(String owner) {
        return isWaiting(owner) && !everPassedOver.contains(owner);
    }

    /** Which faults have come true. */
    private void notice(String kind, String actor, State then, boolean late) {
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
                if (actor.equals(owner) && model().sortedSet(then.queue()).size() > 1) {
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

    /**
     * Nobody is given the lock while another waits who came before; but for one that had it whole and reads on, and those who
     * are passed over.
     */
    private void isServedInTurn(String actor, @Nullable String gaveUp, State then, State now) {
        boolean readsOn = gaveUp != null
                && gaveUp.equals(owner(then.value()))
                && !now.shares().expiries().isEmpty();
        boolean whole = actor.equals(owner(now.value()));
        boolean given = whole ? !actor.equals(owner(then.value())) : isHeld(now, actor) && isNew(actor, then, now);
        if (!given || readsOn) {
            return;
        }
        for (String ahead : then.waiting()) {
            if (ahead.equals(actor) || ahead.equals(gaveUp)) {
                return;
            }
            if (now.waiting().contains(ahead)
                    && !now.passedOver().contains(ahead)
                    && !isPassedOverUnmarked(ahead, gaveUp, then, now)) {
                throw new Violation("L4", actor + " was given " + now.key() + " before " + ahead + ", who came first");
            }
        }
    }

    /**
     * One in line is passed over from when a holder has died and nobody listens for it; if its order is a promise, as it is for
     * permits and for one each, only if it has not asked lately.
     */
    private void isRightlyPassedOver(@Nullable String gaveUp, boolean isLeft, State then, State now) {
        everPassedOver.addAll(now.passedOver());
        for (String waiter : now.passedOver()) {
            if (!then.passedOver().contains(waiter) && !mayBePassedOver(waiter, gaveUp, isLeft, then, now)) {
                throw new Violation("L4", waiter + " was passed over for " + now.key() + ", though it waits");
            }
        }
    }

    private boolean mayBePassedOver(String waiter, @Nullable String gaveUp, boolean isLeft, State then, State now) {
        boolean died = then.shares().expiries().values().stream().anyMatch(expiry -> expiry <= model().nowMillis());
        // Of what is shared there may be some to give when one gives up that wanted more.
        boolean givenBack = gaveUp != null && !died && (isHeld(then, gaveUp) || (isLeft && isShared(then)));
        String[] ticket = ticket(now.tickets(), waiter);
        boolean isPromised = Integer.parseInt(ticket[2]) < 1 || (ticket.length > 3 && ticket[3].equals("p"));
        boolean isSilent = Long.parseLong(ticket[0]) - model().nowMillis() <= TICKET - SILENCE;
        String inboxes = now.queue().substring(0, now.queue().indexOf("~queue:")) + "~inbox:";
        boolean isHeard = model().listeners(inboxes + waiter.substring(0, waiter.indexOf(':'))) > 0;
        return !givenBack && !isHeard && (isSilent || !isPromised);
    }

    /** A server without memory cannot write down whom it passes over. */
    private boolean isPassedOverUnmarked(String waiter, @Nullable String gaveUp, State then, State now) {
        boolean isRight = model().mood() == ServerMood.OOM && mayBePassedOver(waiter, gaveUp, false, then, now);
        if (isRight) {
            everPassedOver.add(waiter);
        }
        return isRight;
    }

    /** Who takes the place of another in line stands before all who stood behind that one. */
    private void keepsThePlace(String actor, @Nullable String gaveUp, State then, State now) {
        String holder = owner(now.value());
        int place = gaveUp == null ? -1 : then.waiting().indexOf(gaveUp);
        if (place >= 0
                && holder != null
                && !holder.equals(owner(then.value()))
                && now.waiting().contains(actor)
                && then.waiting().indexOf(holder) > place) {
            throw new Violation("L4", holder + " was given " + now.key() + " before " + actor + ", whose turn it was");
        }
    }

    /** A lock that is given back goes to the first who waits, at once. */
    private void isPassedOn(String by, State then, State now) {
        if (!isHeld(then, by) || isHeld(now, by)) {
            return;
        }
        String next = now.next();
        String ticket = next == null ? null : model().hash(now.tickets()).get(next);
        if (ticket != null && now.shares().fits(now.value(), ticket, model().nowMillis())) {
            throw new Violation("L2", now.key() + " was given back, and not passed on to " + next);
        }
    }

    private static boolean isShared(State state) {
        return !state.shares().expiries().isEmpty();
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

    private void everythingExpires(List<String> command, List<Commands.Part> parts) {
        for (int i = 0; i < Commands.keys(command); i++) {
            String key = Commands.key(command, i);
            boolean foreign = parts.stream().anyMatch(part -> part.lock().equals(key))
                    && owner(model().value(key)) == null
                    && !model().type(key).equals("zset");
            // The counter of tokens is the one thing that stays.
            if (!key.contains("~fence")
                    && !foreign
                    && model().expiresAtMillis(key) == -1
                    && !model().type(key).equals("none")) {
                throw new Violation("H1", key + " has no expiry after " + Commands.kind(command));
            }
        }
    }

    /** The highest token that a lock was granted with, whether or not anybody has heard of it. */
    long highestToken(String lock) {
        return highestTokens.getOrDefault(lock, 0L);
    }

    /** Whether a lock was granted with this token, and it is not one that was passed on. */
    boolean isGranted(String lock, long token) {
        return firstTokens.contains(lock + " " + token);
    }

    /** Whether a lock with that value is the owner's, and the token one of those it was granted with. */
    static boolean covers(@Nullable String value, String owner, long token) {
        return owner.equals(owner(value)) && token(value) <= token && token <= lastToken(value);
    }

    static long token(@Nullable String value) {
        return value == null ? 0 : Long.parseLong(tokens(value)[0]);
    }

    static long lastToken(@Nullable String value) {
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
