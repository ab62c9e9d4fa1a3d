/**
 * What the author of a store implements, and the ports through which the engine sees time, threads and chance.
 *
 * <p>Start at {@link io.holdfast.spi.LockStore}.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
