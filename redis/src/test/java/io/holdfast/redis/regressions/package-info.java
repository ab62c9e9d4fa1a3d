/** Bugs that were found and mended; each test names one. */
@NullMarked
package io.holdfast.redis.regressions;

import org.jspecify.annotations.NullMarked;
