/** What a compiler does not see: the arrows between modules, the documents, and whether the checks themselves bite. */
@NullMarked
package io.holdfast.checks;

import org.jspecify.annotations.NullMarked;
