/** Servers, and what lies between them and the clients. */
@NullMarked
package io.holdfast.simulation.net;

import org.jspecify.annotations.NullMarked;
