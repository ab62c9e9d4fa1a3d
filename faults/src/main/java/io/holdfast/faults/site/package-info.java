/** The servers, and the networks in front of them. */
@NullMarked
package io.holdfast.faults.site;

import org.jspecify.annotations.NullMarked;
