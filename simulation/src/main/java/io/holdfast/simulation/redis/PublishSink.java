package io.holdfast.simulation.redis;

/** Where published messages go. */
@FunctionalInterface
public interface PublishSink {
    /** Returns how many received it. */
    int published(String channel, String message);

    /** How many would receive what is published there. */
    default int listeners(String channel) {
        return 0;
    }
}
