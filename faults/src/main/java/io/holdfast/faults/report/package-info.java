/** The table and the picture. */
@NullMarked
package io.holdfast.faults.report;

import org.jspecify.annotations.NullMarked;
