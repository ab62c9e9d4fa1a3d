/** Recordings, made and read again. */
@NullMarked
package io.holdfast.internal.flight;

import org.jspecify.annotations.NullMarked;
