/** What the simulated applications do, and what befalls them. */
@NullMarked
package io.holdfast.simulation.load;

import org.jspecify.annotations.NullMarked;
