package io.holdfast.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Where a server or a process runs, and the address under which others reach it. Thread safe. */
public final class NetworkHost {
    /** This machine, as it sees itself. */
    public static final NetworkHost LOOPBACK = new NetworkHost("127.0.0.1", List.of(), FreePort::find);

    private final String address;
    private final List<String> enter;
    private final IntSupplier ports;

    NetworkHost(String address, List<String> enter, IntSupplier ports) {
        this.address = address;
        this.enter = List.copyOf(enter);
        this.ports = ports;
    }

    public String address() {
        return address;
    }

    /** A port that is probably free; not the same one on two hosts of a network. */
    int port() {
        return ports.getAsInt();
    }

    /** That command, run there; it becomes the process itself, with no other in between. */
    List<String> run(List<String> command) {
        List<String> all = new ArrayList<>(enter);
        all.addAll(command);
        return all;
    }

    @Override
    public String toString() {
        return address;
    }
}
