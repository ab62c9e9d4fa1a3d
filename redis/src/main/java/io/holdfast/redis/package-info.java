/**
 * Locks on Redis.
 *
 * <p>Most applications need only {@code Holdfast.connect("redis://…")} and never import this package. {@link
 * io.holdfast.redis.RedisStore} takes an application's own Jedis client; {@link io.holdfast.redis.RedisDistributedLock}
 * is the short form for those who want one class; {@link io.holdfast.redis.RedisFencingGate} guards what is written.
 */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
