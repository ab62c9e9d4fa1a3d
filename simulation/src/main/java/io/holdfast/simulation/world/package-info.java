/** Virtual time and the threads in it: one thing happens at a time, in an order that follows from the seed. */
@NullMarked
package io.holdfast.simulation.world;

import org.jspecify.annotations.NullMarked;
