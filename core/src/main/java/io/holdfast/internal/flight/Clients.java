package io.holdfast.internal.flight;

import java.util.Set;
import jdk.jfr.FlightRecorder;

/** The event that shows each open client from time to time. Loaded by the first attempt that a recording wants to know of. */
final class Clients {
    static {
        FlightRecorder.addPeriodicEvent(Events.ClientEvent.class, () -> look(Flight.OPEN));
    }

    private Clients() {}

    /** From now on they are looked at. */
    static void watch() {
        // The initializer has done it, once.
    }

    private static void look(Set<Flight.Client> open) {
        for (Flight.Client client : open) {
            Events.ClientEvent event = new Events.ClientEvent();
            event.store = client.store();
            event.held = client.held();
            event.asking = client.asking();
            event.commit();
        }
    }
}
