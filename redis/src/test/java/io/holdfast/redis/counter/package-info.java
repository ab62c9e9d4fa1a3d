/** The classic: many processes increment one number in a file, with nothing between them but the lock. */
@NullMarked
package io.holdfast.redis.counter;

import org.jspecify.annotations.NullMarked;
