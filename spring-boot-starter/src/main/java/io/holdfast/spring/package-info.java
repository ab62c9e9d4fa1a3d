/**
 * Holdfast in a Spring Boot application: the client as a bean, locks by annotation. What applications use is
 * {@link io.holdfast.spring.Locked} and the {@code holdfast.*} properties.
 */
@NullMarked
package io.holdfast.spring;

import org.jspecify.annotations.NullMarked;
