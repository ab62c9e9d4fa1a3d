/** Classes that break the rules on purpose. */
@NullMarked
package io.holdfast.checks.planted;

import org.jspecify.annotations.NullMarked;
