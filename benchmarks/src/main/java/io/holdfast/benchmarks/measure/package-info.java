/** Threads that lock and unlock, and what is read from clocks and counters meanwhile. */
@NullMarked
package io.holdfast.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
