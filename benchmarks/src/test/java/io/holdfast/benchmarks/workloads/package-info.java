/** Tests of what only workloads see. */
@NullMarked
package io.holdfast.benchmarks.workloads;

import org.jspecify.annotations.NullMarked;
