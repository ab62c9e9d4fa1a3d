/** The engine and the scripts under virtual time, one thing at a time, from one seed. */
@NullMarked
package io.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
