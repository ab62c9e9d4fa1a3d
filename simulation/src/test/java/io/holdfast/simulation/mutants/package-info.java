@NullMarked
package io.holdfast.simulation.mutants;

import org.jspecify.annotations.NullMarked;
