package io.holdfast.simulation.net;

import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** How messages travel between clients and servers. What is lost or late, and until when, is set by faults. */
public final class Network {
    /** The condition of one client's line, or of that to one of the servers. Moments of the world's clock. */
    public static final class Line {
        public long upBlockedUntil;
        public long downBlockedUntil;
        public long slowUntil;
        public long slowNanos;
        /** Requests sent until then arrive a second time, later. */
        public long twiceUntil;

        public long twiceWithinNanos;
        /** So many of the next messages vanish, and their connection with them. */
        public int vanish;
    }

    private final World world;
    private final Dice dice;
    private final Hits hits;
    private final Map<String, Line> lines = new HashMap<>();
    private boolean apart;
    private Consumer<String> reader = text -> {};

    public Network(World world, Dice dice, Hits hits) {
        this.world = world;
        this.dice = dice;
        this.hits = hits;
    }

    World world() {
        return world;
    }

    Dice dice() {
        return dice;
    }

    Hits hits() {
        return hits;
    }

    /** From now on somebody reads along what comes into inboxes, after whom it is for. */
    public void readAlong(Consumer<String> whom) {
        reader = whom;
    }

    void wasTold(String text) {
        reader.accept(text);
    }

    /** From now on a client has a line to each server. */
    public void apart() {
        apart = true;
    }

    public Line line(String client, String server) {
        return line(apart ? client + ">" + server : client);
    }

    /** Whether nothing is wrong with any line of a client. */
    public boolean isSound(String client) {
        long now = world.now();
        return lines.entrySet().stream()
                .filter(entry -> entry.getKey().equals(client) || entry.getKey().startsWith(client + ">"))
                .map(Map.Entry::getValue)
                .allMatch(line -> line.downBlockedUntil <= now
                        && line.upBlockedUntil <= now
                        && line.slowUntil <= now
                        && line.vanish == 0);
    }

    public Line line(String client) {
        return lines.computeIfAbsent(client, name -> new Line());
    }

    /** Everything is as it should be again. */
    public void heal() {
        for (Line line : lines.values()) {
            line.upBlockedUntil = 0;
            line.downBlockedUntil = 0;
            line.slowUntil = 0;
            line.twiceUntil = 0;
            line.vanish = 0;
        }
    }

    /** When a message that leaves now arrives. */
    long arrival(Line line, boolean up) {
        long now = world.now();
        long travel = 20_000 + dice.below(200_000L) + (dice.oneIn(100) ? dice.below(5_000_000L) : 0);
        if (line.slowUntil > now) {
            travel += dice.below(line.slowNanos + 1);
        }
        long blocked = up ? line.upBlockedUntil : line.downBlockedUntil;
        if (blocked > now + travel) {
            hits.hit(21);
            return blocked + travel;
        }
        return now + travel;
    }
}
