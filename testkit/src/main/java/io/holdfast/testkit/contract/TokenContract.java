package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens rise from holder to holder, whatever lies between them. */
interface TokenContract extends Contract {

    @Test
    default void tokens_riseFromHolderToHolder() throws InterruptedException {
        List<DistributedLock> locks = List.of(bench().lock(), bench().lock());
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            try (Lease lease = locks.get(i % 2).acquire(Duration.ZERO)) {
                tokens.add(lease.token());
            }
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    default void token_staysOverRenewalAndExtension() throws InterruptedException {
        Lease lease = bench().lock(Bench.RENEWED).acquire(Duration.ZERO);
        long token = lease.token();
        lease.extend(Bench.RENEWED);

        bench().until(() -> bench().store().count(Operation.RENEW) >= 3);

        assertThat(lease.token()).isEqualTo(token);
        assertThat(bench().client().inspect(bench().name()))
                .singleElement()
                .satisfies(lock -> assertThat(lock.token()).hasValue(token));
        assertThat(lease.release()).isTrue();
    }

    @Test
    default void token_ofAWaiter_isHigherThanTheHolders() throws InterruptedException {
        Lease holder = bench().lock().acquire(Duration.ZERO);
        DistributedLock lock = bench().lock();
        Actor<Long> waiter = bench().start(() -> {
            try (Lease lease = lock.acquire(Bench.PATIENCE)) {
                return lease.token();
            }
        });
        bench().awaitWaiting(1);
        holder.release();

        assertThat(waiter.join()).isGreaterThan(holder.token());
    }

    @Test
    @Faults({6, 32})
    default void tokens_riseOverExpiry() throws InterruptedException {
        Lease lease = bench().lock().acquire(Duration.ZERO);
        bench().expire();

        assertThat(bench().nextToken()).isGreaterThan(lease.token());
    }

    @Test
    @Faults({27, 32})
    default void tokens_riseOverTheLossOfEverything() throws InterruptedException {
        Lease lease = bench().lock().acquire(Duration.ZERO);
        bench().loseEverything();
        long second = bench().nextToken();
        bench().loseEverything();

        assertThat(second).isGreaterThan(lease.token());
        assertThat(bench().nextToken()).isGreaterThan(second);
    }

    @Test
    @Tag("race")
    default void tokens_underContention_areUniqueAndInOrder() {
        ConcurrentSkipListSet<Long> tokens = new ConcurrentSkipListSet<>();
        List<Holdfast> clients = List.of(bench().client(), bench().client());
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DistributedLock lock = clients.get(i % 2).lock(bench().name());
            actors.add(bench().start(() -> {
                boolean fresh = true;
                for (int round = 0; round < 40; round++) {
                    try (Lease lease = lock.acquire(Bench.PATIENCE)) {
                        // While it is held, no higher token can have been handed out.
                        fresh &= tokens.ceiling(lease.token()) == null && tokens.add(lease.token());
                    }
                }
                return fresh;
            }));
        }
        actors.forEach(actor -> assertThat(actor.join()).isTrue());
        assertThat(tokens).hasSize(160);
    }
}
