package io.holdfast.simulation.net;

import io.holdfast.simulation.redis.PublishSink;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.Host;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A Redis server: a model that executes the scripts, and the process around it. */
public final class Server {
    /** Sees every command before and after it is carried out. */
    public interface Watcher {
        void before(List<String> command);

        /**
         * It was carried out.
         *
         * @param late whether its client has turned away
         * @param again whether the message has been here before
         */
        void after(List<String> command, @Nullable Object reply, boolean late, boolean again);
    }

    /** What a server is among others, beyond one that is alone. */
    public interface Role {
        /**
         * What it answers without carrying out anything; null if it is a command like any other.
         *
         * @param asking whether it was announced by ASKING
         */
        @Nullable
        Object answer(List<String> command, boolean asking);

        /** Something was published on it. */
        default void published(String channel, String message) {}
    }

    private record Saved(long time, RedisModel.Snapshot data) {}

    private final Network network;
    private final Host host;
    private final RedisModel model;
    private final Watcher watcher;
    private final Map<String, Set<Connection>> subscribers = new LinkedHashMap<>();
    private final Set<Connection> connections = new LinkedHashSet<>();
    private final ArrayDeque<Saved> saved = new ArrayDeque<>();
    private @Nullable LongSupplier replicaLag;
    private RedisModel.@Nullable Snapshot replica;
    private boolean up = true;
    private int life = 1;
    private long startedAt = Long.MIN_VALUE / 2;
    private Role role = (command, asking) -> null;

    public Server(Network network, Host host, Watcher watcher) {
        this.network = network;
        this.host = host;
        this.watcher = watcher;
        this.model = new RedisModel(host::wallMicros, new PublishSink() {
            @Override
            public int published(String channel, String message) {
                return publish(channel, message);
            }

            @Override
            public int listeners(String channel) {
                return subscribers.getOrDefault(channel, Set.of()).size();
            }
        });
    }

    public Host host() {
        return host;
    }

    public RedisModel model() {
        return model;
    }

    /** From now on it is one of several. */
    public void takes(Role part) {
        role = part;
    }

    public boolean isUp() {
        return up;
    }

    /** The moment of its last start; long ago if it was never restarted. */
    public long startedAt() {
        return startedAt;
    }

    /** Counts its starts. */
    public int life() {
        return life;
    }

    // --- messages

    void arrives(Connection from, List<String> command, long delay) {
        connections.add(from);
        host.event(delay, () -> {
            if (!up || !from.isOpenAtServer()) {
                from.reset();
                return;
            }
            carryOut(from, command, false);
        });
    }

    void arrivesAgain(Connection from, List<String> command, long delay) {
        host.event(delay, () -> {
            if (up) {
                network.world().trace().add(host.name(), "hears again:", Commands.brief(command));
                carryOut(from, command, true);
            }
        });
    }

    /** What it says to those who come, and to those who announce something; null to all else. */
    private static @Nullable Object greeting(Connection from, List<String> command) {
        return switch (command.get(0)) {
            case "CONNECT" -> "connected";
            case "HELLO" -> List.of("server", "redis", "version", "7.0.15", "proto", 2L, "id", 1L);
            case "ASKING" -> {
                from.asks();
                yield new RedisModel.Status("OK");
            }
            default -> null;
        };
    }

    private void carryOut(Connection from, List<String> command, boolean again) {
        Object greeting = greeting(from, command);
        if (greeting != null) {
            if (!again) {
                from.reply(command, greeting);
            }
            return;
        }
        boolean asking = from.asked();
        if (command.get(0).equals("SUBSCRIBE")) {
            // What is left of a connection that was dropped ends with it.
            if (!again && !from.isDropped()) {
                subscribers
                        .computeIfAbsent(command.get(1), channel -> new LinkedHashSet<>())
                        .add(from);
                from.reply(command, "subscribed");
            }
            return;
        }
        Object answer = role.answer(command, asking);
        if (answer != null) {
            network.world().trace().add(host.name(), "answers:", new Done(command, answer));
            if (!again) {
                from.reply(command, answer);
            }
            return;
        }
        watcher.before(command);
        Object reply = model.execute(command);
        network.world().trace().add(host.name(), again ? "does again:" : "does:", new Done(command, reply));
        watcher.after(command, reply, from.isDropped(), again);
        replicate();
        if (!again) {
            from.reply(command, reply);
        }
    }

    /** A command by hand, of an operator or of another program. */
    public @Nullable Object byHand(String... command) {
        List<String> words = List.of(command);
        watcher.before(words);
        Object reply = model.execute(words);
        network.world().trace().add("by hand", String.join(" ", command));
        watcher.after(words, reply, false, false);
        return reply;
    }

    private int publish(String channel, String message) {
        Set<Connection> heard = subscribers.getOrDefault(channel, Set.of());
        if (heard.isEmpty()) {
            network.hits().hit(41);
        }
        tell(channel, message);
        role.published(channel, message);
        return heard.size();
    }

    /** Tells those who listen here. */
    public void tell(String channel, String message) {
        for (Connection connection : new ArrayList<>(subscribers.getOrDefault(channel, Set.of()))) {
            connection.push(channel, message);
        }
    }

    void forget(Connection connection) {
        connections.remove(connection);
        subscribers.values().forEach(set -> set.remove(connection));
        subscribers.values().removeIf(Set::isEmpty);
    }

    public int subscriptions() {
        return subscribers.values().stream().mapToInt(Set::size).sum();
    }

    // --- what happens to it

    /** Remembers its data, for a restart from what was saved. */
    public void save() {
        saved.add(new Saved(network.world().now(), model.snapshot()));
        if (saved.size() > 50) {
            saved.poll();
        }
    }

    public void crash() {
        up = false;
        life++;
        network.world().trace().add(host.name(), "crashes");
        resetAll(null);
    }

    /** With all its data. */
    public void restart() {
        up = true;
        startedAt = network.world().now();
        model.restore(model.snapshot());
        network.world().trace().add(host.name(), "is back, with its memory");
    }

    public void restartEmpty() {
        up = true;
        startedAt = network.world().now();
        model.forget();
        network.world().trace().add(host.name(), "is back, without its memory");
    }

    /** With the data as it was so long ago, or nothing if that was not saved. */
    public void restartFromSnapshot(long ageNanos) {
        up = true;
        startedAt = network.world().now();
        long wanted = network.world().now() - ageNanos;
        Saved best = null;
        for (Saved one : saved) {
            if (one.time() <= wanted) {
                best = one;
            }
        }
        if (best == null) {
            model.forget();
        } else {
            model.restore(best.data());
        }
        network.world().trace().add(host.name(), "is back, with what was saved");
    }

    /** From now on a replica follows it, each time so much later. */
    public void replicate(LongSupplier lagNanos) {
        replicaLag = lagNanos;
        replica = model.snapshot();
    }

    private void replicate() {
        if (replicaLag != null) {
            RedisModel.Snapshot now = model.snapshot();
            int during = life;
            network.world().after(replicaLag.getAsLong(), () -> {
                if (life == during) {
                    replica = now;
                }
            });
        }
    }

    /** The replica takes its place, with what it has and with a clock of its own. */
    public void failover(long clockNanos) {
        crash();
        up = true;
        startedAt = network.world().now();
        if (replica != null) {
            model.restore(replica);
        }
        host.stepWall(clockNanos);
        network.world().trace().add(host.name(), "is its replica now");
    }

    /**
     * Closes the connections of a client, or all.
     *
     * @return how many
     */
    public int resetAll(@Nullable String client) {
        int closed = 0;
        for (Connection connection : new ArrayList<>(connections)) {
            if (client == null || connection.client().name().equals(client)) {
                connection.reset();
                closed++;
            }
        }
        return closed;
    }

    /** A client hears that its connections are broken; what it has sent is still on its way. */
    public void breakAtClient(String client) {
        for (Connection connection : new ArrayList<>(connections)) {
            if (connection.client().name().equals(client)) {
                connection.breakAtClient();
            }
        }
    }

    /** For the trace: written out only if somebody reads it. */
    private record Done(List<String> command, @Nullable Object reply) {
        @Override
        public String toString() {
            return Commands.brief(command) + " -> " + String.valueOf(reply).replaceAll("\\s+", " ");
        }
    }
}
