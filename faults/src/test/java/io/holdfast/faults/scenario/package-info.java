/** Whether the scenarios still play, and Holdfast does well in them. */
@NullMarked
package io.holdfast.faults.scenario;

import org.jspecify.annotations.NullMarked;
