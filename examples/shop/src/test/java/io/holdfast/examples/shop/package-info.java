/** Two instances of the shop, of which one dies or sleeps in the middle of a purchase. */
@NullMarked
package io.holdfast.examples.shop;

import org.jspecify.annotations.NullMarked;
