/** The locks that are put to the test, each behind the same small interface. */
@NullMarked
package io.holdfast.faults.contender;

import org.jspecify.annotations.NullMarked;
