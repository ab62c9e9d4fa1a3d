package io.holdfast.simulation.load;

import io.holdfast.LockOptions;
import io.holdfast.simulation.world.Dice;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a seed stands for: how many clients there are, how they are set up, and which faults come when.
 *
 * @param blocking whether a command blocks the thread that sends it, as with Jedis
 * @param virtual whether callers are threads that must not block on sockets
 * @param actors threads in each client
 * @param steps what each of them does, one after the other
 * @param rates how fast the clients' clocks run
 * @param driftBeyondModel whether that is more than the timing model allows
 * @param counterKnown whether tokens were counted before; if not, the counter starts ahead of the clock, and none are
 *     reserved for a while
 * @param readWrite whether the locks are there to read and to write
 * @param permits how many permits they have, if they are semaphores; otherwise 0
 * @param elects whether there is somebody to be elected
 * @param copied whether the second client is a copy of the first, with the same id
 */
public record Setup(
        long seed,
        Topology topology,
        boolean blocking,
        boolean virtual,
        int clients,
        int actors,
        int steps,
        List<String> names,
        long leaseMillis,
        long timeoutMillis,
        List<Double> rates,
        boolean driftBeyondModel,
        boolean counterKnown,
        boolean readWrite,
        int permits,
        boolean elects,
        boolean copied,
        List<Planned> faults) {

    /**
     * A fault that will come.
     *
     * @param afterCalls once the applications have made so many calls
     * @param delayNanos and so much time has passed since
     */
    public record Planned(Fault fault, int afterCalls, long delayNanos, int index) {}

    /** Of these some are taken together. */
    static final List<String> TOGETHER = List.of("a", "b", "c");

    /** At least so many calls are made in a run. */
    public static final int CALLS = 200;

    public static Setup of(long seed, Topology topology) {
        Dice dice = Dice.of(seed, 2);
        int clients = (int) dice.between(2, 4);
        int actors = (int) dice.between(1, 4);
        long lease = dice.oneIn(8) ? 10_000L : dice.pick(300L, 500L, 1_000L, 2_000L);
        boolean driftBeyond = dice.oneIn(25);
        List<Double> rates = IntStream.range(0, clients)
                .mapToObj(i -> rate(dice, driftBeyond))
                .toList();
        Dice kind = Dice.of(seed, 3);
        boolean readWrite = kind.oneIn(4) && !topology.isQuorum();
        int permits = !topology.isQuorum() && !readWrite && kind.oneIn(6) ? (int) kind.between(1, 3) : 0;
        return new Setup(
                seed,
                topology,
                dice.oneIn(3) || topology.hasSockets(),
                dice.oneIn(6),
                clients,
                actors,
                Math.max(4, 60 / (clients * actors)),
                dice.oneIn(3) ? List.of("a", "b") : List.of("a"),
                lease,
                dice.pick(60L, 150L, 400L, 1_000L),
                rates,
                driftBeyond,
                !dice.oneIn(5),
                readWrite,
                permits,
                Dice.of(seed, 12).oneIn(5),
                dice.oneIn(20),
                faults(seed, dice, topology.faults(Dice.of(seed, 26))));
    }

    private static double rate(Dice dice, boolean beyond) {
        double most = beyond ? 0.10 : 0.009;
        return switch (dice.below(3)) {
            case 0 -> 1.0;
            case 1 -> 1.0 - most;
            default -> 1.0 + most * (2 * dice.fraction() - 1);
        };
    }

    private static List<Planned> faults(long seed, Dice dice, List<Fault> choice) {
        List<Planned> planned = new ArrayList<>();
        int count = (int) dice.between(3, 6);
        // Some seeds have a long quiet beginning, in which nothing at all may go wrong.
        int first = dice.oneIn(4) ? CALLS / 2 : 5;
        while (planned.size() < count) {
            int at = (int) dice.between(first, CALLS - 20);
            long delay = dice.below(300_000_000L);
            planned.add(new Planned(dice.pick(choice), at, delay, planned.size()));
            if (dice.oneIn(2)) {
                long soon = delay + dice.pick(0L, 1_000_000L, 50_000_000L, 500_000_000L, 2_500_000_000L);
                planned.add(new Planned(dice.pick(choice), at, dice.below(soon + 1), planned.size()));
            }
        }
        if (!choice.equals(List.of(Fault.SLOT_MOVES))) {
            // Dice that leave most seeds of the table of planted bugs without one: they find the same as before.
            forced(Dice.of(seed, 2563), planned);
        }
        return planned;
    }

    /** What an operator does, in some runs; by dice of its own, so that the others are what they would be without it. */
    private static void forced(Dice dice, List<Planned> planned) {
        int count = dice.oneIn(4) ? (int) dice.between(1, 8) : 0;
        for (int i = 0; i < count; i++) {
            int at = (int) dice.between(5, CALLS - 20);
            planned.add(new Planned(Fault.FORCED_RELEASE, at, dice.below(300_000_000L), planned.size()));
        }
    }

    /** Every lock that somebody may have or want; {@link #names} are those that are taken alone. */
    List<String> everyName() {
        Stream<String> led = elects ? Stream.of(Candidate.NAME) : Stream.empty();
        return Stream.of(names.stream(), TOGETHER.stream(), led)
                .flatMap(all -> all)
                .distinct()
                .toList();
    }

    /** What somebody wants of a lock. */
    Share share(Dice dice) {
        if (permits > 0) {
            // Mostly one, since only one is ever passed on within a client.
            return Share.permits(dice.below(4) > 0 ? 1 : (int) dice.between(1, permits), permits);
        }
        return readWrite && dice.below(3) > 0 ? Share.READ : Share.WHOLE;
    }

    /** All that there is to be had of a lock. */
    Share all() {
        return permits > 0 ? Share.permits(permits, permits) : Share.WHOLE;
    }

    /** The longest lease there is on a quorum; a server that was restarted does not count before it is over. */
    long maxLeaseMillis() {
        return 2 * leaseMillis;
    }

    /** How a lock is taken once the faults are over. */
    LockOptions atTheEnd() {
        return topology.isQuorum()
                ? LockOptions.builder().lease(Duration.ofMillis(leaseMillis)).build()
                : LockOptions.DEFAULT;
    }

    /** The longest a lease can last in this run without being renewed. */
    public long longestLeaseNanos() {
        return 3 * leaseMillis * 1_000_000;
    }
}
