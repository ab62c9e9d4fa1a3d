/** A model of a Redis server that runs the real scripts, without threads, sockets or a clock of its own. */
@NullMarked
package io.holdfast.simulation.redis;

import org.jspecify.annotations.NullMarked;
