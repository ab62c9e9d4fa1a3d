/**
 * Fencing tokens between processes that talk HTTP: {@link io.holdfast.http.FencingTokens} is the header, with help for
 * {@code java.net.http}; {@link io.holdfast.http.FencingTokenFilter} reads it in a servlet container, and {@link
 * io.holdfast.http.FencingTokenInterceptor} writes it in Spring's clients.
 */
@NullMarked
package io.holdfast.http;

import org.jspecify.annotations.NullMarked;
