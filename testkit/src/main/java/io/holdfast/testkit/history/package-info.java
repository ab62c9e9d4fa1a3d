/**
 * Judges what clients of a lock have seen: was there one order in which all of it makes sense?
 *
 * <p>Start at {@link io.holdfast.testkit.history.Recorder} to write a history down, and at
 * {@link io.holdfast.testkit.history.LinearizabilityChecker} to judge it.
 */
@NullMarked
package io.holdfast.testkit.history;

import org.jspecify.annotations.NullMarked;
