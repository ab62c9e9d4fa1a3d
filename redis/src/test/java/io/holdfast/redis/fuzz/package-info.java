/** What comes over the wire, and what users write, may be anything. */
@NullMarked
package io.holdfast.redis.fuzz;

import org.jspecify.annotations.NullMarked;
