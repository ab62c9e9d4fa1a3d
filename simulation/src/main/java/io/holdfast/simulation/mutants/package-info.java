/** Bugs planted on purpose, to show that the simulation finds them. */
@NullMarked
package io.holdfast.simulation.mutants;

import org.jspecify.annotations.NullMarked;
