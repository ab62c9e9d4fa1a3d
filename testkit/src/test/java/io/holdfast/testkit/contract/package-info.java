/** The contract itself under test: stores with planted faults must not pass it. */
@NullMarked
package io.holdfast.testkit.contract;

import org.jspecify.annotations.NullMarked;
