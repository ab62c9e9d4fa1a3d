/** What a process writes down. */
@NullMarked
package io.holdfast.faults.worker;

import org.jspecify.annotations.NullMarked;
