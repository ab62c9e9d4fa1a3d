/**
 * The locks and the client that hands them out: what an application imports.
 *
 * <p>Start at {@link io.holdfast.Holdfast}.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
