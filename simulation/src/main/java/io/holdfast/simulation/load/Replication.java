package io.holdfast.simulation.load;

import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.Dice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a master does comes to its replicas a little later, and sometimes much later. */
final class Replication {
    private static final long MS = 1_000_000L;

    private final Scene scene;
    private final Function<Server, List<Server>> replicas;
    private final Dice lag;

    /** What has come to a server by now. */
    private final Map<Server, RedisModel.Snapshot> come = new HashMap<>();

    /**
     * Nothing has come to anybody.
     *
     * @param replicas those who follow a server at present: none, if it is no master
     */
    Replication(Scene scene, Function<Server, List<Server>> replicas) {
        this.scene = scene;
        this.replicas = replicas;
        this.lag = Dice.of(scene.setup().seed(), 9);
    }

    /** Sends out what a server has, whenever it has done something. */
    Server.Watcher behind(Server.Watcher next, Supplier<Server> self) {
        return new Server.Watcher() {
            @Override
            public void before(List<String> command) {
                next.before(command);
            }

            @Override
            public void after(List<String> command, @Nullable Object reply, boolean late, boolean again) {
                next.after(command, reply, late, again);
                send(self.get());
            }
        };
    }

    /** Sends out what a server has. */
    void send(Server from) {
        List<Server> followers = replicas.apply(from);
        if (followers.isEmpty()) {
            return;
        }
        RedisModel.Snapshot now = from.model().snapshot();
        int life = from.life();
        for (Server replica : followers) {
            long later = lag.oneIn(20) ? lag.below(500 * MS) : lag.below(3 * MS);
            scene.world().after(later, () -> {
                // What had left the master before it died arrives; the rest does not.
                if (from.life() == life && replicas.apply(from).contains(replica)) {
                    come.put(replica, now);
                }
            });
        }
    }

    /** A replica has all that its master has. */
    void catchUp(Server replica, Server master) {
        come.put(replica, master.model().snapshot());
    }

    /** From now on a server goes on by itself, with what has come to it. */
    void restore(Server server) {
        server.model().restore(Objects.requireNonNull(come.get(server)));
    }
}
