package io.holdfast.internal.flight;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * The open clients of this process, for the event that shows each of them from time to time. The recorder is not started for it:
 * whoever starts one finds it.
 */
final class Clients {
    private static final Set<Flight.Client> OPEN = ConcurrentHashMap.newKeySet();

    static {
        FlightRecorder.addListener(new FlightRecorderListener() {
            @Override
            public void recorderInitialized(FlightRecorder recorder) {
                FlightRecorder.addPeriodicEvent(Events.ClientEvent.class, Clients::look);
            }
        });
    }

    private Clients() {}

    static void add(Flight.Client client) {
        OPEN.add(client);
    }

    static void remove(Flight.Client client) {
        OPEN.remove(client);
    }

    private static void look() {
        for (Flight.Client client : OPEN) {
            Events.ClientEvent event = new Events.ClientEvent();
            event.store = client.store();
            event.held = client.held();
            event.asking = client.asking();
            event.commit();
        }
    }
}
