/** The engine under a clock that stands still and a store that fails when told: one fault after the other. */
@NullMarked
package io.holdfast.testkit.engine;

import org.jspecify.annotations.NullMarked;
