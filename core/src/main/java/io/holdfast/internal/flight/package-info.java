/** What the engine tells the flight recorder of the JVM, where there is one. */
@NullMarked
package io.holdfast.internal.flight;

import org.jspecify.annotations.NullMarked;
