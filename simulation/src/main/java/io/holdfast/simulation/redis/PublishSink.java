package io.holdfast.simulation.redis;

/** Where published messages go. */
@FunctionalInterface
public interface PublishSink {
    /** Returns how many received it. */
    int published(String channel, String message);
}
