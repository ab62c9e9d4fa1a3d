/** The code that {@code docs/spring-boot.md} shows. */
@NullMarked
package io.holdfast.spring.docs;

import org.jspecify.annotations.NullMarked;
