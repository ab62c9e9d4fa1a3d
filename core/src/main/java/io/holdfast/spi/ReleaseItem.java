package io.holdfast.spi;

/**
 * One lock to give up.
 *
 * @param name the lock
 * @param owner the acquisition
 */
public record ReleaseItem(String name, String owner) {}
