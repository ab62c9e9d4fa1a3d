/** What goes wrong with real servers, networks, clocks and processes, and what the locks make of it. */
@NullMarked
package io.holdfast.redis.faults;

import org.jspecify.annotations.NullMarked;
