package io.holdfast.simulation.net;

import io.holdfast.simulation.world.Host;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection from a client to a server. Messages keep their order in each direction. The client may turn away from it
 * while requests are still on their way: they arrive all the same.
 */
final class Connection {
    /** What the client hears. */
    interface Ear {
        void reply(@Nullable Object value);

        /** The server has closed the connection, or is not there. */
        void broken();

        /** Something that was not asked for. */
        default void pushed(String channel, String message) {}
    }

    private final Network network;
    private final Server server;
    private final Host client;
    private final Network.Line line;
    private final Ear ear;
    /** The life of the server it was made with. */
    final int life;

    private long lastUp;
    private long lastDown;
    private boolean dropped;
    private boolean closedByServer;
    private boolean hole;
    private boolean asking;

    Connection(Network network, Server server, Host client, Ear ear) {
        this.network = network;
        this.server = server;
        this.client = client;
        this.line = network.line(client.name(), server.host().name());
        this.ear = ear;
        this.life = server.life();
    }

    /** The client has announced a command for a slot that is on its way. */
    void asks() {
        asking = true;
    }

    /** Whether it has; it counts for one command. */
    boolean asked() {
        boolean was = asking;
        asking = false;
        return was;
    }

    Host client() {
        return client;
    }

    /** The client does not listen any more. */
    void drop() {
        dropped = true;
        server.forget(this);
    }

    boolean isDropped() {
        return dropped;
    }

    /** Messages pass in both directions. */
    boolean isSound() {
        return !hole && !dropped && isOpenAtServer();
    }

    void send(List<String> command) {
        if (vanishes()) {
            network.hits().hit(14);
            network.world().trace().add(client.name(), "request vanishes:", Commands.brief(command));
            return;
        }
        lastUp = Math.max(lastUp + 1, network.arrival(line, true));
        server.arrives(this, command, lastUp - network.world().now());
        if (line.twiceUntil > network.world().now() && network.dice().oneIn(2)) {
            long later = lastUp - network.world().now() + network.dice().below(line.twiceWithinNanos + 1);
            server.arrivesAgain(this, command, later);
        }
    }

    private boolean vanishes() {
        if (line.vanish > 0 && !hole) {
            line.vanish--;
            hole = true;
        }
        return hole;
    }

    boolean isOpenAtServer() {
        return !closedByServer && life == server.life();
    }

    void reply(List<String> command, @Nullable Object value) {
        down(
                () -> {
                    if (dropped) {
                        network.hits().hit(20);
                    } else {
                        ear.reply(value);
                    }
                },
                command);
    }

    void push(String channel, String message) {
        down(
                () -> {
                    if (!dropped) {
                        ear.pushed(channel, message);
                    }
                },
                List.of("message", message));
    }

    /** The server closes it. */
    void reset() {
        closedByServer = true;
        server.forget(this);
        down(
                () -> {
                    if (!dropped) {
                        dropped = true;
                        ear.broken();
                    }
                },
                List.of("reset"));
    }

    /** Something between has closed the client's side. */
    void breakAtClient() {
        client.event(0, () -> {
            if (!dropped) {
                drop();
                ear.broken();
            }
        });
    }

    private void down(Runnable action, List<String> what) {
        if (hole || (line.vanish > 0 && network.dice().oneIn(2) && vanishes())) {
            network.world().trace().add("to " + client.name(), "reply vanishes:", Commands.brief(what));
            return;
        }
        lastDown = Math.max(lastDown + 1, network.arrival(line, false));
        client.event(lastDown - network.world().now(), action);
    }
}
