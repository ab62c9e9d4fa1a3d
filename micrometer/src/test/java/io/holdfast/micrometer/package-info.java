/** Meters and observations of real locks. */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
