package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Backoff;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One leads; when it goes, however it goes, another follows. */
interface ElectionContract extends Contract {

    /** A candidate that leads until it is interrupted, and what it went through. */
    final class Stander implements AutoCloseable {
        private final List<Long> tokens = new CopyOnWriteArrayList<>();
        private final AtomicInteger ended = new AtomicInteger();
        private final List<Loss> losses = new CopyOnWriteArrayList<>();
        private final Election.Candidacy candidacy;

        Stander(Holdfast client, String name, AtomicInteger leaders, List<String> wrong) {
            candidacy = client.election(name).stand(lease -> {
                if (leaders.incrementAndGet() != 1) {
                    wrong.add("two lead at once");
                }
                tokens.add(lease.token());
                lease.lost().thenAccept(losses::add);
                try {
                    new CountDownLatch(1).await();
                } finally {
                    leaders.decrementAndGet();
                    ended.incrementAndGet();
                }
            });
        }

        /** Leads, and its task has begun. */
        boolean leads() {
            return candidacy.isLeader() && tokens.size() > ended.get();
        }

        @Override
        public void close() {
            candidacy.close();
        }
    }

    private Stander stander(Holdfast client, AtomicInteger leaders, List<String> wrong) {
        return new Stander(client, bench().name(), leaders, wrong);
    }

    @Test
    default void oneLeads_andItsResignationLetsTheNext() {
        AtomicInteger leaders = new AtomicInteger();
        List<String> wrong = new CopyOnWriteArrayList<>();
        Holdfast client = bench().client();
        try (Stander first = stander(client, leaders, wrong)) {
            bench().until(first::leads);
            try (Stander second = stander(bench().client(), leaders, wrong)) {
                bench().awaitWaiting(1);
                assertThat(second.candidacy.isLeader()).isFalse();
                assertThat(second.candidacy.token()).isEmpty();
                assertThat(client.election(bench().name()).leader())
                        .hasValueSatisfying(leader -> assertThat(leader.token().orElseThrow())
                                .isEqualTo(first.candidacy.token().orElseThrow()));

                first.candidacy.resign();

                bench().until(second::leads);
                assertThat(first.ended).hasValue(1);
                assertThat(second.tokens.get(0)).isGreaterThan(first.tokens.get(0));
                second.candidacy.resign();
                bench().until(() -> first.tokens.size() == 2);
            }
        }
        bench().until(() -> leaders.get() == 0);
        assertThat(wrong).isEmpty();
        bench().until(() -> client.election(bench().name()).leader().isEmpty());
    }

    @Test
    default void candidateThatIsClosed_standsNoMore() {
        AtomicInteger leaders = new AtomicInteger();
        List<String> wrong = new CopyOnWriteArrayList<>();
        Stander first = stander(bench().client(), leaders, wrong);
        bench().until(first::leads);
        Stander waiting = stander(bench().client(), leaders, wrong);
        bench().awaitWaiting(1);

        waiting.close();
        bench().awaitNobodyWaiting();
        first.close();

        bench().until(() -> first.ended.get() == 1);
        bench().until(bench()::isFree);
        assertThat(waiting.tokens).isEmpty();
    }

    /** By its deadline, or as soon as the store says so; and the one that follows has a higher token. */
    @Test
    @Faults(52)
    default void leaderThatLosesItsLease_isDeposedWithTheCauseAndInterrupted() {
        AtomicInteger leaders = new AtomicInteger();
        List<String> wrong = new CopyOnWriteArrayList<>();
        Holdfast client = bench().client(Bench.RENEWED);
        try (Stander only = stander(client, leaders, wrong)) {
            bench().until(only::leads);

            bench().expire();

            bench().until(() -> only.ended.get() == 1 && only.losses.size() == 1);
            assertThat(only.losses.get(0).cause()).isIn(Loss.Cause.GONE, Loss.Cause.EXPIRED);
            bench().until(() -> only.tokens.size() == 2);
            assertThat(only.tokens.get(1)).isGreaterThan(only.tokens.get(0));
        }
        bench().until(() -> leaders.get() == 0);
    }

    @Test
    @Faults(43)
    default void leaderThatCrashed_isFollowedWhenItsLeaseIsOver() {
        Lease crashed = bench().client()
                .lock(bench().name(), o -> o.lease(Bench.SHORT).renewal(false))
                .tryAcquire()
                .orElseThrow();
        long start = System.nanoTime();
        AtomicInteger leaders = new AtomicInteger();
        List<String> wrong = new CopyOnWriteArrayList<>();
        try (Stander next = stander(bench().client(), leaders, wrong)) {
            bench().until(next::leads);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Bench.SHORT.plus(Duration.ofSeconds(4)));
            assertThat(next.tokens.get(0)).isGreaterThan(crashed.token());
        }
        bench().until(() -> leaders.get() == 0);
    }

    @Test
    default void taskThatFails_isFollowedByTheNextTry() {
        AtomicInteger tries = new AtomicInteger();
        Holdfast client = bench().client();
        try (Election.Candidacy candidacy = client.election(bench().name()).stand(lease -> {
            if (tries.incrementAndGet() < 3) {
                throw new IllegalStateException("planted");
            }
            new CountDownLatch(1).await();
        })) {
            bench().until(() -> tries.get() == 3);
            bench().until(candidacy::isLeader);
        }
        bench().until(bench()::isFree);
    }

    /** Elected at once each time, it would log and ask the store for nothing but that. */
    @Test
    default void taskThatAlwaysFails_isTriedAgainAfterEverLongerPauses() {
        List<Long> tries = new CopyOnWriteArrayList<>();
        Election.Candidacy candidacy = bench().client().election(bench().name()).stand(lease -> {
            tries.add(System.nanoTime());
            throw new IllegalStateException("planted");
        });
        try (candidacy) {
            bench().until(() -> tries.size() >= 4);
        }
        Duration first = Backoff.DEFAULT.first();
        assertThat(Duration.ofNanos(tries.get(3) - tries.get(0))).isGreaterThan(first.multipliedBy(1 + 2 + 4));
        bench().until(bench()::isFree);
    }

    @Test
    default void closedClient_endsItsCandidates() {
        AtomicInteger leaders = new AtomicInteger();
        List<String> wrong = new CopyOnWriteArrayList<>();
        Holdfast client = bench().client();
        Stander only = stander(client, leaders, wrong);
        bench().until(only::leads);

        client.close();

        bench().until(() -> only.ended.get() == 1);
        assertThat(only.losses).extracting(Loss::cause).containsOnly(Loss.Cause.CLIENT_CLOSED);
    }
}
