/** What applications see: these tests use nothing but public types. */
@NullMarked
package io.holdfast.redis.api;

import org.jspecify.annotations.NullMarked;
