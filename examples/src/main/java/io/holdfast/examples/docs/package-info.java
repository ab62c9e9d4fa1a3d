/** The code that stands in the README and under {@code docs/}, word for word, so that it is known to compile. */
@NullMarked
package io.holdfast.examples.docs;

import org.jspecify.annotations.NullMarked;
