/**
 * A Spring Boot application that runs several times on one database: never sells more than there is, and never loses a sale,
 * whichever instance dies or sleeps. Start at {@link io.holdfast.examples.shop.Till}.
 */
@NullMarked
package io.holdfast.examples.shop;

import org.jspecify.annotations.NullMarked;
