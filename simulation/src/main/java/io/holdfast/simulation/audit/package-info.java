/** What must hold at every moment, and who looks whether it does. */
@NullMarked
package io.holdfast.simulation.audit;

import org.jspecify.annotations.NullMarked;
