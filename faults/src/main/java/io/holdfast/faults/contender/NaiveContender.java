package io.holdfast.faults.contender;

import io.holdfast.servers.Resp;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What many write by hand: SET with NX, DEL when done. It compares no owner, renews nothing, has no token, and never looks at
 * its lease. It is here to be caught: a campaign that finds nothing wrong with it proves nothing.
 */
final class NaiveContender implements Contender {
    private static final int PAUSE_MILLIS = 3;

    @Override
    public String name() {
        return "naive";
    }

    @Override
    public String description() {
        return "SET NX and DEL, without owner, renewal or token: a planted mistake";
    }

    @Override
    public Set<Workload> workloads(Topology topology) {
        return topology == Topology.SINGLE ? EnumSet.of(Workload.LOCK) : EnumSet.noneOf(Workload.class);
    }

    @Override
    public boolean signalsLoss() {
        return false;
    }

    @Override
    public boolean mayStay(String key) {
        return false;
    }

    @Override
    public Session open(Topology topology, List<String> addresses, Duration lease) {
        return new Session() {
            @Override
            public @Nullable Held take(Wish wish, Duration wait) throws InterruptedException {
                long end = System.nanoTime() + wait.toNanos();
                String name = wish.locks().get(0);
                while (System.nanoTime() - end < 0) {
                    if (call(addresses, "SET", name, "held", "NX", "PX", Long.toString(lease.toMillis())) != null) {
                        return new Believed(addresses, name);
                    }
                    Thread.sleep(PAUSE_MILLIS);
                }
                return null;
            }

            @Override
            public void close() {}
        };
    }

    private static @Nullable Object call(List<String> addresses, String... command) {
        String[] address = addresses.get(0).split(":", -1);
        try (Resp redis = Resp.connect(address[0], Integer.parseInt(address[1]))) {
            return redis.call(command);
        }
    }

    private record Believed(List<String> addresses, String name) implements Held {
        @Override
        public List<Long> tokens() {
            return List.of(0L);
        }

        @Override
        public long validUntil() {
            return System.nanoTime();
        }

        @Override
        public boolean release() {
            call(addresses, "DEL", name);
            return true;
        }

        @Override
        public void onLost(Consumer<String> told) {}
    }
}
