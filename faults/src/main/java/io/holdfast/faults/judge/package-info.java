/** Reads what the processes wrote down, and says which promise was broken. */
@NullMarked
package io.holdfast.faults.judge;

import org.jspecify.annotations.NullMarked;
