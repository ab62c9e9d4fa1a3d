package io.holdfast.spi;

import java.time.Duration;
import java.util.List;

/**
 * How a store is doing.
 *
 * @param reachable whether it answered
 * @param roundTrip how long the answer took; zero if there was none
 * @param warnings what weakens the locks, each with its consequence and its remedy; if it is not reachable, why
 */
public record StoreHealth(boolean reachable, Duration roundTrip, List<String> warnings) {}
