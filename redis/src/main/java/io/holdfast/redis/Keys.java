package io.holdfast.redis;

/**
 * The names of the keys. A lock and its side keys share one slot of a cluster, and everything shares the prefix, so that
 * one rule of an access list covers it.
 */
final class Keys {
    private final String prefix;
    private final boolean spread;

    // What every command names is put together once.
    private final String fence;

    /** Those of one server. */
    Keys(String prefix) {
        this(prefix, false);
    }

    private Keys(String prefix, boolean spread) {
        this.prefix = prefix;
        this.spread = spread;
        this.fence = prefix + "~fence";
    }

    /** Those of a cluster. */
    static Keys spread(String prefix) {
        return new Keys(prefix, true);
    }

    /** Whether they are on several servers. */
    boolean areSpread() {
        return spread;
    }

    String lock(String name) {
        return prefix + name;
    }

    /** The name of a lock, from its key. */
    String name(String lockKey) {
        return lockKey.substring(prefix.length());
    }

    boolean isLock(String key) {
        return key.startsWith(prefix) && !key.startsWith("~", prefix.length());
    }

    String queue(String name) {
        return side("queue", name);
    }

    String tickets(String name) {
        return side("tickets", name);
    }

    String holds(String name) {
        return side("holds", name);
    }

    String latch(String name) {
        return side("latch", name);
    }

    /** Who waits for a latch. */
    String waiters(String name) {
        return side("waiters", name);
    }

    /** Who was told last that a lock of a quorum is free, for a moment. */
    String turn(String name) {
        return side("turn", name);
    }

    String fence() {
        return fence;
    }

    /** The counter that a lock draws its tokens from: the only one of a server, or that of the lock's slot. */
    String fence(String name) {
        return spread ? fenceOf(slot(name)) : fence();
    }

    /** The counter of a slot. */
    String fenceOf(int slot) {
        return fence() + ":{" + Slots.tag(slot) + "}";
    }

    /** The slot of a lock and its side keys. */
    int slot(String name) {
        return Slots.of(lock(name));
    }

    /** What the names of all inboxes start with. */
    String inbox() {
        return prefix + "~inbox:";
    }

    /** Where a client says who it is. */
    String client(String clientId) {
        return lock(clientName(clientId));
    }

    /** The same, without the prefix: no lock is called so. */
    static String clientName(String clientId) {
        return "~client:" + clientId;
    }

    /** Which life of a server need not wait before it counts in a quorum. */
    String vouched() {
        return prefix + "~vouched";
    }

    String gate(String resource) {
        return prefix + "~gate:" + resource;
    }

    /** A gate in the slot of the key that it guards, if the prefix does not put it elsewhere. */
    String gateBeside(String key) {
        return prefix + "~gate:{" + Slots.tag(Slots.of(key)) + "}:" + key;
    }

    String prefix() {
        return prefix;
    }

    /** The lock key is the hash tag; a name that brings its own tag has it already. */
    private String side(String kind, String name) {
        return name.indexOf('{') >= 0
                ? prefix + "~" + kind + ":" + prefix + name
                : prefix + "~" + kind + ":{" + prefix + name + "}";
    }
}
