/** The header over real HTTP. */
@NullMarked
package io.holdfast.http;

import org.jspecify.annotations.NullMarked;
