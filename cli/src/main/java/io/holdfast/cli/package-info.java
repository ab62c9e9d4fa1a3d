/** The {@code holdfast} command: runs a program under a lock. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
