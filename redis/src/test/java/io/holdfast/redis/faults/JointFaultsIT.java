package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RequestTrap;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several locks that are taken together, when the network, a server or a process fails in the middle of it. */
@Faults(57)
class JointFaultsIT {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
    private static final Duration START = ofSeconds(30);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static DistributedLock all(Client client, List<String> names, Duration lease) {
        return client.locks()
                .allOf(names.stream().map(name -> client.lock(name, lease)).toList());
    }

    private static DistributedLock all(Client client) {
        return all(client, NAMES, LONG);
    }

    /** Makes the connection and has the server learn the script. */
    private static Client warm(Client client) {
        assertThat(all(client.connected()).tryAcquire().orElseThrow().release()).isTrue();
        return client;
    }

    // --- how long it may take

    @Test
    @Faults(45)
    void waitThatIsShorterThanARoundTrip_isAnsweredLikeThatOfOneLock() throws InterruptedException {
        Client client = warm(rig.overProxy());
        Lease busy = rig.direct().take("c", LONG);
        rig.proxy().delayReplies(ofMillis(150));

        assertThat(client.lock("c").tryLock(ofMillis(20))).as("one lock").isFalse();
        assertThat(all(client).tryLock(ofMillis(20))).as("several").isFalse();

        assertThat(busy.release()).isTrue();
        rig.awaitNothingLeft();
        assertThat(all(client).tryLock(ofMillis(20)))
                .as("several that are free")
                .isTrue();
        assertThat(all(client).unlock()).isTrue();
        rig.awaitNothingLeft();
    }

    @Test
    @Faults({45, 57})
    void timedWait_withABusyMember_endsByItsDeadline() throws InterruptedException {
        Client client = warm(rig.overProxy());
        Lease busy = rig.direct().take("c", LONG);
        Duration wait = ofMillis(400);
        long start = System.nanoTime();

        assertThat(all(client).tryLock(wait)).isFalse();

        assertThat(since(start)).isBetween(wait, wait.plus(SLACK));
        until("the others are free", () -> rig.isFree("a") && rig.isFree("b"));
        assertThat(busy.release()).isTrue();
        rig.awaitNothingLeft();
    }

    // --- answers that are lost

    /** The first run had all. The second found one taken by another, and knew nothing of those behind it. */
    @Test
    @Faults({15, 16})
    void answerLost_andOneTakenByAnotherMeanwhile_leavesNoneBehind() {
        Client client = warm(rig.client(rig.proxyUri(), builder -> builder.commandTimeout(ofSeconds(8))));
        Client other = rig.direct().connected();
        DistributedLock all = endingAmid(client);
        rig.proxy().delayRequests(ofMillis(400));
        RequestTrap trap = rig.proxy().dropConnectionAfterNextRequestContaining(Rig.ACQUIRE);
        Future<Boolean> attempt = rig.start(() -> all.tryLock());
        trap.awaitSprung(SOON);
        Lease taken = takeAmid(other);

        assertThat(get(attempt)).isFalse();

        rig.proxy().restore();
        until("those behind it are free", () -> rig.isFree("d") && rig.isFree("e"));
        assertThat(taken.release()).isTrue();
        rig.awaitNothingLeft();
    }

    /** The one in the middle is over soon, the others are not. */
    private static DistributedLock endingAmid(Client client) {
        return client.locks()
                .allOf(
                        client.lock("a", LONG),
                        client.lock("b", LONG),
                        client.lock("c", ofMillis(100)),
                        client.lock("d", LONG),
                        client.lock("e", LONG));
    }

    /** Takes the one in the middle, once all of them were had. */
    private static Lease takeAmid(Client other) {
        List<Lease> taken = new ArrayList<>();
        until("another has it", () -> {
            if (!rig.isFree("e")) {
                other.lock("c", LONG).tryAcquire().ifPresent(taken::add);
            }
            return !taken.isEmpty();
        });
        return taken.get(0);
    }

    @Test
    @Faults({15, 20})
    void answersLost_againAndAgain_leaveNothingBehind() throws InterruptedException {
        Client client = warm(rig.overProxy());
        for (int i = 0; i < 10; i++) {
            RequestTrap trap =
                    rig.proxy().dropConnectionAfterNextRequestContaining(i % 2 == 0 ? Rig.ACQUIRE : Rig.RELEASE);
            Lease lease = all(client).acquire(SOON);
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.release()).isTrue();
            trap.awaitSprung(SOON);
        }
        rig.awaitNothingLeft();
    }

    @Test
    @Faults(35)
    void scriptsFlushed_isNoTrouble() throws InterruptedException {
        Client client = warm(rig.direct());
        for (int i = 0; i < 5; i++) {
            rig.redis().command("SCRIPT", "FLUSH");
            Lease lease = all(client).acquire(SOON);
            rig.redis().command("SCRIPT", "FLUSH");
            assertThat(lease.release()).isTrue();
        }
        rig.awaitNothingLeft();
    }

    // --- cancelled at any moment

    @Test
    @Faults({45, 46})
    void asyncCancelledAtAnyMoment_leavesNothingBehind() throws InterruptedException {
        List<Client> clients = List.of(warm(rig.direct()), warm(rig.direct()));
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> reversed = List.of("e", "d", "c", "b", "a");
        int got = 0;
        List<CompletableFuture<Lease>> pending = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            Client client = clients.get(i % 2);
            DistributedLock all = all(client, i % 3 == 0 ? reversed : NAMES, LONG);
            pending.add(all.acquireAsync(SOON).toCompletableFuture());
            int which = random.nextInt(pending.size());
            if (random.nextInt(3) > 0) {
                CompletableFuture<Lease> one = pending.remove(which);
                if (!one.cancel(false) && !one.isCompletedExceptionally()) {
                    one.join().release();
                    got++;
                }
            }
            if (i % 50 == 49 && !pending.isEmpty()) {
                // Otherwise all may be over before anybody has had them.
                get(CompletableFuture.anyOf(pending.toArray(new CompletableFuture<?>[0])));
            }
            for (Iterator<CompletableFuture<Lease>> left = pending.iterator(); left.hasNext(); ) {
                CompletableFuture<Lease> each = left.next();
                if (each.isDone()) {
                    left.remove();
                    assertThat(each.join().release()).as("seed %s", seed).isTrue();
                    got++;
                }
            }
        }
        for (CompletableFuture<Lease> each : pending) {
            if (!each.cancel(false)) {
                assertThat(each.join().release()).as("seed %s", seed).isTrue();
            }
        }

        rig.awaitNothingLeft();
        for (Client client : clients) {
            Lease last = all(client).acquire(SOON);
            assertThat(last.release()).isTrue();
            assertThat(client.losses()).isEmpty();
        }
        assertThat(got).as("some must have had it (seed %s)", seed).isPositive();
        rig.awaitNothingLeft();
    }

    // --- processes

    @Test
    @Faults(54)
    void processKilledInTheMiddle_withTheOppositeOrder_isWaitedForNoLongerThanItsLease() {
        Duration lease = ofSeconds(3);
        try (JvmProcess victim = process("e,d,c,b,a", lease);
                JvmProcess other = process("a,b,c,d,e", lease)) {
            victim.awaitLine("had 10", START);
            other.awaitLine("had 10", START);
            victim.send("keep");
            victim.awaitLine("keeps", SOON);
            assertThat(NAMES).noneMatch(rig::isFree);
            int before = had(other);

            victim.kill9();
            long killed = System.nanoTime();

            until("the other goes on", () -> had(other) > before + 10);
            assertThat(since(killed)).isLessThan(lease.plus(SLACK).plusSeconds(1));
            other.send("stop");
            other.awaitLine("done", SOON);
            assertThat(other.lines()).noneMatch(line -> line.startsWith("lost"));
            assertThat(victim.lines()).noneMatch(line -> line.startsWith("lost"));
        }
        rig.awaitNothingLeft();
    }

    private static JvmProcess process(String order, Duration lease) {
        return JvmProcess.start(JointMain.class, rig.redis().uri(), order, Long.toString(lease.toMillis()));
    }

    private static int had(JvmProcess process) {
        return (int)
                process.lines().stream().filter(line -> line.startsWith("had ")).count();
    }
}
