/**
 * Real servers and real faults for the tests of the other modules: Redis processes that can be killed, paused and
 * restarted, a TCP proxy that loses, delays and repeats messages, and further JVMs.
 *
 * <p>Everything started here ends with the test JVM.
 */
@NullMarked
package io.holdfast.servers;

import org.jspecify.annotations.NullMarked;
