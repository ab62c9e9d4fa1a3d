/** The simulation, tried on itself. */
@NullMarked
package io.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
