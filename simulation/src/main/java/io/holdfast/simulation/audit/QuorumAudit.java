package io.holdfast.simulation.audit;

import io.holdfast.simulation.net.Commands;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.World;
import io.holdfast.spi.Share;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the servers of a quorum, each for itself and all together. On each of them, only its holder may take a lock away,
 * renew it or settle its tokens, no lease gets shorter, and all but the counter expires (I4, H1). All together have a lease
 * that is believed in on so many of them that the rest is no majority (I5): those that were restarted a short time ago do not
 * belong to the rest, since nobody may count them.
 */
public final class QuorumAudit implements Truth {
    private record State(String key, @Nullable String value, long expiry) {}

    /** An answer that was on its way when its server was made to forget is here by then. */
    private static final long FORGOTTEN_NANOS = 5_000_000_000L;

    private final World world;
    private final Hits hits;
    private final String prefix;
    private final long maxLeaseNanos;
    private final int majority;
    private final List<Server> servers = new ArrayList<>();
    private final Set<Long> firstTokens = new HashSet<>();
    private final Set<String> gaveUp = new HashSet<>();
    private final Map<Integer, Long> forgotAt = new HashMap<>();
    private long highestToken;

    public QuorumAudit(World world, Hits hits, String prefix, long maxLeaseNanos, int majority) {
        this.world = world;
        this.hits = hits;
        this.prefix = prefix;
        this.maxLeaseNanos = maxLeaseNanos;
        this.majority = majority;
    }

    /** One more server. */
    public void add(Server server) {
        servers.add(server);
    }

    /** Looks at one of them. */
    public Server.Watcher at(int index) {
        return new Look(index);
    }

    // --- all together

    /** Whoever has it has it on so many, under whatever token: those that were behind are not always told. */
    @Override
    public @Nullable String instead(String name, String owner, long token, Share share) {
        int good = 0;
        List<String> values = new ArrayList<>();
        for (Server server : servers) {
            String value = server.model().value(prefix + name);
            String holder = ServerAudit.owner(value);
            good += isOut(server) || (holder != null && owner.equals(owner(holder))) ? 1 : 0;
            values.add((server.isUp() ? "" : "(down) ") + (server.isUp() && isOut(server) ? "(young) " : "") + value);
        }
        return good >= majority ? null : values.toString();
    }

    /** Whether nobody may count it. */
    private boolean isOut(Server server) {
        return !server.isUp() || world.now() - server.startedAt() < maxLeaseNanos;
    }

    @Override
    public @Nullable String uncounted(long token) {
        int good = 0;
        List<String> counters = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            String counter = servers.get(i).model().value(prefix + "~fence");
            boolean counted = counter != null && counter.matches("[0-9]+") && Long.parseLong(counter) >= token;
            boolean forgot = world.now() - forgotAt.getOrDefault(i, -FORGOTTEN_NANOS) < FORGOTTEN_NANOS;
            good += counted || forgot || isOut(servers.get(i)) ? 1 : 0;
            counters.add(String.valueOf(counter));
        }
        return good >= majority ? null : counters.toString();
    }

    /** The owner behind a holder's name, which counts its attempts. */
    static String owner(String holder) {
        int mark = holder.lastIndexOf('#');
        return mark < 0 ? holder : holder.substring(0, mark);
    }

    /** It learns when it renews. */
    @Override
    public boolean tellsHolders() {
        return false;
    }

    @Override
    public List<String> holders(String name) {
        return servers.stream()
                .map(server -> ServerAudit.owner(server.model().value(prefix + name)))
                .filter(Objects::nonNull)
                .map(QuorumAudit::owner)
                .distinct()
                .toList();
    }

    @Override
    public boolean isGranted(String name, long token) {
        return firstTokens.contains(token);
    }

    /** Of all locks: they share their counters. */
    @Override
    public long highestToken(String name) {
        return highestToken;
    }

    /** Of a server that has lost its counter, or has an old one: by its clock, or by that of the slowest who proposes. */
    @Override
    public long nextToken(String name) {
        long slowest = servers.stream()
                .mapToLong(server -> server.host().wallMicros())
                .min()
                .orElseThrow();
        return servers.stream()
                .mapToLong(server -> {
                    String counter = server.model().value(prefix + "~fence");
                    return counter == null || !counter.matches("[0-9]+")
                            ? server.host().wallMicros() + 2_000_000
                            : Math.max(Long.parseLong(counter) + 1, slowest);
                })
                .min()
                .orElseThrow();
    }

    // --- each for itself

    private final class Look implements Server.Watcher {
        private final int index;
        private final List<State> before = new ArrayList<>();

        Look(int index) {
            this.index = index;
        }

        private RedisModel model() {
            return servers.get(index).model();
        }

        private State state(String key) {
            return new State(key, model().value(key), model().expiresAtMillis(key));
        }

        @Override
        public void before(List<String> command) {
            before.clear();
            if (Commands.isForQuorum(command)) {
                before.add(state(Commands.key(command, 0)));
            } else if (Commands.kind(command).equals("renew")) {
                for (int i = 0; i < Commands.renewals(command); i++) {
                    before.add(state(Commands.key(command, i)));
                }
            }
        }

        @Override
        public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
            if (command.get(0).equals("DEL") || command.get(0).equals("FLUSHALL")) {
                forgotAt.put(index, world.now());
            }
            if (before.isEmpty()) {
                return;
            }
            if (reply instanceof RedisModel.ErrorReply error) {
                hits.hit(
                        error.message().startsWith("NOPERM")
                                ? 23
                                : error.message().startsWith("OOM") ? 34 : 26);
            }
            String kind = Commands.kind(command);
            for (int i = 0; i < before.size(); i++) {
                String actor = kind.equals("renew") ? Commands.renewedBy(command, i) : Commands.argument(command, 1);
                // Of two that renew one lock at once, one has lost it here: what changed is the other's doing.
                if (i == first(before, before.get(i).key(), command, kind)) {
                    judge(kind, actor, before.get(i), state(before.get(i).key()));
                }
                notice(kind, actor, before.get(i), late || again);
            }
            everythingExpires(command);
        }

        /** Which part of a command is to answer for what became of a lock: that of its holder, if it has one. */
        private static int first(List<State> states, String key, List<String> command, String kind) {
            int found = -1;
            for (int i = 0; i < states.size(); i++) {
                State state = states.get(i);
                if (state.key().equals(key)) {
                    boolean holders = kind.equals("renew")
                            && Commands.renewedBy(command, i).equals(ServerAudit.owner(state.value()));
                    found = found < 0 || holders ? i : found;
                }
            }
            return found;
        }

        private void judge(String kind, String actor, State then, State now) {
            String holder = ServerAudit.owner(then.value());
            String holderNow = ServerAudit.owner(now.value());
            String what = kind + " by " + actor + " on server " + (index + 1);
            if (holderNow != null && !holderNow.equals(holder)) {
                if (!kind.equals("acquire") || !holderNow.equals(actor) || then.value() != null) {
                    throw new Violation("I4", what + " gave " + now.key() + " to " + holderNow);
                }
            }
            if (holderNow != null && !Objects.equals(then.value(), now.value())) {
                firstTokens.add(ServerAudit.token(now.value()));
                highestToken = Math.max(highestToken, ServerAudit.lastToken(now.value()));
            }
            if (holder == null) {
                return;
            }
            if (now.value() == null) {
                if (!actor.equals(holder) || !(kind.equals("release") || kind.equals("retreat"))) {
                    throw new Violation("I4", what + " took " + then.key() + " from " + holder);
                }
            } else if (!now.value().equals(then.value()) && !(kind.equals("settle") && actor.equals(holder))) {
                throw new Violation("I4", what + " changed " + then.value() + " to " + now.value());
            } else if (now.expiry() < then.expiry()) {
                throw new Violation("I4", what + " shortened the lease of " + holder);
            } else if (now.expiry() > then.expiry()
                    && !(actor.equals(holder) && (kind.equals("acquire") || kind.equals("renew")))) {
                throw new Violation("I4", what + " renewed " + then.key() + " for " + holder);
            }
        }

        private void notice(String kind, String actor, State then, boolean late) {
            String holder = ServerAudit.owner(then.value());
            switch (kind) {
                case "acquire" -> {
                    if (actor.equals(holder)) {
                        hits.hit(15);
                    }
                    if (late) {
                        hits.hit(16);
                    }
                }
                case "release", "retreat" -> {
                    if (late && holder != null && !holder.equals(actor)) {
                        hits.hit(17);
                    }
                    if (kind.equals("retreat") && actor.equals(holder)) {
                        hits.hit(30);
                    }
                    if (!gaveUp.add(index + " " + actor)) {
                        hits.hit(19);
                    }
                }
                default -> {
                    if (kind.equals("renew") && gaveUp.contains(index + " " + actor)) {
                        hits.hit(18);
                    }
                }
            }
        }

        private void everythingExpires(List<String> command) {
            for (int i = 0; i < Commands.keys(command); i++) {
                String key = Commands.key(command, i);
                String value = model().value(key);
                boolean foreign = value != null && i < before.size() && ServerAudit.owner(value) == null;
                // The counter of tokens is the one thing that stays.
                if (!key.endsWith("~fence")
                        && !foreign
                        && model().expiresAtMillis(key) == -1
                        && !model().type(key).equals("none")) {
                    throw new Violation("H1", key + " has no expiry after " + Commands.kind(command));
                }
            }
        }
    }
}
