/** Holdfast and other locks side by side, on a real Redis server. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
