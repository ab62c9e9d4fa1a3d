package io.holdfast.redis;

/**
 * How many of a number of servers decide.
 *
 * @param nodes all that are configured, whether they answer or not
 */
record Quorum(int nodes) {
    static final int FEWEST = 3;

    /** So many are more than half: any two majorities have a server in common. */
    int majority() {
        return nodes / 2 + 1;
    }

    /** If so many are out, the rest is no majority. */
    int blocking() {
        return nodes - majority() + 1;
    }
}
