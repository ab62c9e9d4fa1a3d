/** The locks that are compared: one class each. */
@NullMarked
package io.holdfast.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
