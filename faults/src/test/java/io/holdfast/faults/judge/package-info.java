/** Made-up histories for the judge. */
@NullMarked
package io.holdfast.faults.judge;

import org.jspecify.annotations.NullMarked;
