package io.holdfast;

/**
 * Which acquisition an event is about.
 *
 * @param lockName the lock
 * @param owner the id of this very acquisition, as the store knows it
 * @param token its fencing token
 */
public record Hold(String lockName, String owner, long token) {}
