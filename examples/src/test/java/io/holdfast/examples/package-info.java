/** Runs the examples, and shows how an application tests its own code that uses locks. */
@NullMarked
package io.holdfast.examples;

import org.jspecify.annotations.NullMarked;
