/**
 * Tools for tests that involve locks: time that moves only when told, and a store that fails when told.
 *
 * <p>Start at {@link io.holdfast.testkit.FaultyStore} and {@link io.holdfast.testkit.ManualClock}. Whoever writes a store
 * starts at {@link io.holdfast.testkit.contract.StoreContract}; whoever wants to know whether what many clients saw was right,
 * at {@link io.holdfast.testkit.history.LinearizabilityChecker}.
 */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
