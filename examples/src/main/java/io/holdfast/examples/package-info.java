/**
 * Small programs that use Holdfast. Start at {@link io.holdfast.examples.RedisLockExample}, which runs them all;
 * {@link io.holdfast.examples.OrderService} is the pattern to copy.
 */
@NullMarked
package io.holdfast.examples;

import org.jspecify.annotations.NullMarked;
