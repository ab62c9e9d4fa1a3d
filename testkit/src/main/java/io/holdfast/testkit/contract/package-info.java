/**
 * What every store promises, as tests to inherit.
 *
 * <p>Start at {@link io.holdfast.testkit.contract.StoreContract}.
 */
@NullMarked
package io.holdfast.testkit.contract;

import org.jspecify.annotations.NullMarked;
