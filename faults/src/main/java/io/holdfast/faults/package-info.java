/** The fault campaign: processes, real servers, and everything that befalls them. */
@NullMarked
package io.holdfast.faults;

import org.jspecify.annotations.NullMarked;
