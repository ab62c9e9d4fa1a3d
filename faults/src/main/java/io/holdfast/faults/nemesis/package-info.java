/** What befalls processes, networks and servers. */
@NullMarked
package io.holdfast.faults.nemesis;

import org.jspecify.annotations.NullMarked;
