package io.holdfast.faults.site;

import io.holdfast.servers.NetworkHost;
import io.holdfast.servers.PrivateNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A network in which every process has a host of its own; those of the servers come with them. */
public final class HostNetwork implements AutoCloseable {
    private final PrivateNetwork network;
    private final List<NetworkHost> places = new ArrayList<>();

    private HostNetwork(PrivateNetwork network) {
        this.network = network;
    }

    /** Why there is none on this machine; empty if there is. */
    public static String whyNot() {
        return PrivateNetwork.whyNot();
    }

    /** Empty if this machine cannot have one. */
    static Optional<HostNetwork> create(int places) {
        if (!whyNot().isEmpty()) {
            return Optional.empty();
        }
        HostNetwork created = new HostNetwork(PrivateNetwork.create());
        for (int place = 0; place < places; place++) {
            created.places.add(created.network.add("client" + place));
        }
        return Optional.of(created);
    }

    public PrivateNetwork network() {
        return network;
    }

    /** Where the process in that place runs. */
    public NetworkHost of(int place) {
        return places.get(place);
    }

    @Override
    public void close() {
        network.close();
    }
}
