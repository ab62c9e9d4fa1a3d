/** What runs in each of the processes: threads that take locks, and write down what they see. */
@NullMarked
package io.holdfast.faults.worker;

import org.jspecify.annotations.NullMarked;
