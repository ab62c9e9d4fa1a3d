@NullMarked
package io.holdfast.simulation.world;

import org.jspecify.annotations.NullMarked;
