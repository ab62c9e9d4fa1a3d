/** The engine: acquiring, holding, renewing and losing leases over any store. Not for use by applications. */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
