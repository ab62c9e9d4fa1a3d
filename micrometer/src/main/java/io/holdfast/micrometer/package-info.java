/** Meters ({@link HoldfastMetrics}) and observations ({@link HoldfastObservations}) of locks. */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
