/** What is done with the locks: one class each. */
@NullMarked
package io.holdfast.benchmarks.workloads;

import org.jspecify.annotations.NullMarked;
