package io.holdfast.simulation.load;

import io.holdfast.simulation.audit.Lookout;
import io.holdfast.simulation.audit.Truth;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.net.Way;
import io.holdfast.simulation.world.SimPlatform;
import io.holdfast.spi.StoreFactory;
import java.util.List;
import java.util.function.Consumer;

/** The servers of a run: what they are to each other, how clients get to them, and what befalls them. */
interface Stage {
    /** All that keep locks. */
    List<Server> servers();

    /** Where a lock is, if it is in one place. */
    Server home(String name);

    /**
     * A store on them, for one client.
     *
     * @param way is told how the client gets there, when it is opened
     */
    StoreFactory store(SimPlatform platform, Consumer<Way> way);

    Truth truth();

    Lookout lookout();

    /** Before the clients start. */
    void start();

    /** Lets a fault happen to the servers or to the messages. */
    void happen(Director.Blow blow);

    /** Ends what still lasts. */
    void heal();

    /** How long a call may take that does not wait for anybody. */
    default long callNanos() {
        return scene().setup().timeoutMillis() * 1_000_000;
    }

    /** Timers that a client has although nothing is going on. */
    default int idleTimers() {
        return 2;
    }

    /** Whether a client may be told this failure, by what was wrong with the servers and the messages. */
    default boolean isExcusable(String client, String failure) {
        return !scene().director().isQuietSoFar();
    }

    /** A client of that host was befallen by something, until then. */
    default void clientInTrouble(String client, long until) {}

    Scene scene();
}
