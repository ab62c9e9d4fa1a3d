/** Tests of the arithmetic, the order and the output; never of times. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
