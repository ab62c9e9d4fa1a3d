/**
 * The seam between the lock protocol and the client library that carries it. Applications have no need of it; whoever
 * brings another transport does.
 */
@NullMarked
package io.holdfast.redis.link;

import org.jspecify.annotations.NullMarked;
