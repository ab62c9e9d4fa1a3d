/** Whether the campaign can fail, and whether it passes. */
@NullMarked
package io.holdfast.faults;

import org.jspecify.annotations.NullMarked;
