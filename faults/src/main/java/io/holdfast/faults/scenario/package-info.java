/** Known weak places of locks, each played exactly and the same way with every contender. */
@NullMarked
package io.holdfast.faults.scenario;

import org.jspecify.annotations.NullMarked;
