package io.holdfast.simulation.load;

import io.holdfast.simulation.net.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who has what in a cluster: as it is, or as a node takes it to be. */
final class ClusterView {
    private static final int SLOTS = 16_384;

    private final List<Server> masters;
    private final List<Server> replicas;

    /** Slots that are not where they were at first. */
    private final Map<Integer, Integer> moved = new TreeMap<>();

    private boolean down;

    ClusterView(List<Server> masters, List<Server> replicas) {
        this.masters = new ArrayList<>(masters);
        this.replicas = new ArrayList<>(replicas);
    }

    ClusterView copy() {
        ClusterView copy = new ClusterView(masters, replicas);
        copy.become(this);
        return copy;
    }

    /** Hears how it is. */
    void become(ClusterView other) {
        for (int shard = 0; shard < masters.size(); shard++) {
            masters.set(shard, other.masters.get(shard));
            replicas.set(shard, other.replicas.get(shard));
        }
        moved.clear();
        moved.putAll(other.moved);
        down = other.down;
    }

    int shard(int slot) {
        return moved.getOrDefault(slot, slot * masters.size() / SLOTS);
    }

    Server owner(int slot) {
        return masters.get(shard(slot));
    }

    Server master(int shard) {
        return masters.get(shard);
    }

    Server replica(int shard) {
        return replicas.get(shard);
    }

    /** What a server is the master of; below zero if it is none. */
    int shardOf(Server server) {
        return masters.indexOf(server);
    }

    void give(int slot, int shard) {
        moved.put(slot, shard);
    }

    /** The replica takes the place of its master, which follows it from now on. */
    void follow(int shard) {
        Server old = masters.get(shard);
        masters.set(shard, replicas.get(shard));
        replicas.set(shard, old);
    }

    boolean isDown() {
        return down;
    }

    /** A part has no master, and nobody takes anything any more. */
    void stop() {
        down = true;
    }

    void resume() {
        down = false;
    }

    /** As CLUSTER SLOTS tells it. */
    List<Object> slots() {
        TreeSet<Integer> starts = new TreeSet<>();
        for (int shard = 0; shard < masters.size(); shard++) {
            starts.add((shard * SLOTS + masters.size() - 1) / masters.size());
        }
        moved.keySet().forEach(slot -> starts.addAll(List.of(slot, slot + 1)));
        starts.remove(SLOTS);
        List<Object> ranges = new ArrayList<>();
        for (Integer first : starts) {
            Integer next = starts.higher(first);
            long last = next == null ? SLOTS - 1L : next - 1L;
            ranges.add(List.of((long) first, last, List.of(owner(first).host().name(), 6379L)));
        }
        return ranges;
    }
}
