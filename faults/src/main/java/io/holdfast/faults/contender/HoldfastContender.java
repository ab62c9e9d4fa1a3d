package io.holdfast.faults.contender;

import io.holdfast.DistributedLock;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Holdfast, with its defaults but for the lease. */
final class HoldfastContender implements Contender {
    @Override
    public String name() {
        return "holdfast";
    }

    @Override
    public String description() {
        return "Holdfast of this commit: leases with renewal, tokens, the loss signal; defaults but for the lease";
    }

    @Override
    public Set<Workload> workloads(Topology topology) {
        return topology == Topology.QUORUM
                ? EnumSet.of(Workload.LOCK, Workload.SEVERAL, Workload.ELECTION) // all that a quorum offers
                : EnumSet.allOf(Workload.class);
    }

    @Override
    public boolean signalsLoss() {
        return true;
    }

    @Override
    public boolean mayStay(String key) {
        // The counter of the tokens, one for each server or slot; and where a process ran that was killed, for some
        // minutes.
        // And latches, which live as long as they were told to.
        return key.contains("~fence") || key.contains("~client:") || key.contains("~latch:");
    }

    @Override
    public Session open(Topology topology, List<String> addresses, Duration lease) {
        Holdfast client = Holdfast.builder()
                .uri(uri(topology, addresses, lease))
                .options(LockOptions.builder().lease(lease).build())
                .build();
        return new Session() {
            @Override
            public @Nullable Held take(Wish wish, Duration wait) throws InterruptedException {
                Optional<Lease> lease = wish.workload() == Workload.SEMAPHORE
                        ? client.semaphore(wish.locks().get(0), Workload.PERMITS)
                                .tryAcquire(wish.permits(), wait)
                        : lock(client, wish).tryAcquire(wait);
                return lease.map(it -> new Leased(it, wish.locks())).orElse(null);
            }

            @Override
            public Latches latches() {
                return new OfHoldfast(client);
            }

            @Override
            public Candidacy stand(String election, Leader leader) {
                Election.Candidacy candidacy =
                        client.election(election).stand(lease -> leader.lead(new Leased(lease, List.of(election))));
                return candidacy::close;
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private static String uri(Topology topology, List<String> addresses, Duration lease) {
        String hosts = String.join(",", addresses);
        return switch (topology) {
            case SINGLE -> "redis://" + hosts;
            case SENTINEL -> "redis-sentinel://" + hosts + "/mymaster";
            case CLUSTER -> "redis-cluster://" + hosts;
            case QUORUM -> "redlock://" + hosts + "?maxLease=" + lease.toMillis() + "ms";
        };
    }

    private static DistributedLock lock(Holdfast client, Wish wish) {
        String first = wish.locks().get(0);
        return switch (wish.workload()) {
            case LOCK, SEMAPHORE -> client.lock(first);
            case FAIR -> client.fairLock(first);
            case READ_WRITE ->
                wish.mode() == Mode.READING
                        ? client.readWriteLock(first).readLock()
                        : client.readWriteLock(first).writeLock();
            case SEVERAL -> client.allOf(wish.locks().stream().map(client::lock).toList());
            case LATCH, ELECTION -> throw new IllegalArgumentException(wish + " is not taken");
        };
    }

    private record OfHoldfast(Holdfast client) implements Latches {
        @Override
        public void set(String name, int count, Duration life) {
            client.latch(name).trySetCount(count, life);
        }

        @Override
        public void countDown(String name) {
            client.latch(name).countDown();
        }

        @Override
        public boolean await(String name, Duration wait) throws InterruptedException {
            return client.latch(name).await(wait);
        }
    }

    private record Leased(Lease lease, List<String> names) implements Held {
        @Override
        public List<Long> tokens() {
            return names.size() == 1
                    ? List.of(lease.token())
                    : names.stream().map(lease::token).toList();
        }

        @Override
        public long validUntil() {
            long before = System.nanoTime();
            long left = lease.remaining().toNanos();
            return left > 0 ? before + left : NO;
        }

        @Override
        public boolean release() {
            return lease.release();
        }

        @Override
        public void onLost(Consumer<String> told) {
            lease.lost().thenAccept(loss -> told.accept(loss.cause().name()));
        }
    }
}
