package io.holdfast.simulation.audit;

import io.holdfast.internal.Engine;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.world.Host;
import io.holdfast.simulation.world.SimPlatform;

/**
 * A client of the lock, as the auditor knows it.
 *
 * @param timeoutNanos how long one command may take
 */
public record Party(Host host, SimPlatform platform, Engine engine, Way link, long timeoutNanos) {}
