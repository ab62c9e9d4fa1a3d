/** The figures of a campaign, and what is said of them. */
@NullMarked
package io.holdfast.faults.report;

import org.jspecify.annotations.NullMarked;
