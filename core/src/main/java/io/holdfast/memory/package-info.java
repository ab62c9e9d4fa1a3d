/** The store inside one JVM, for tests and for applications that run once: {@code memory:} and {@code memory:NAME}. */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
