package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireReply.Granted;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFailure;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What single requests do in the store, sent without an engine: repeated, late, by the wrong owner. */
interface RequestContract extends Contract {
    Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    @Test
    default void capabilities_areTheDeclaredOnes() {
        assertThat(bench().direct().store().capabilities()).containsExactlyInAnyOrderElementsOf(bench().capabilities());
    }

    @Test
    default void health_saysThatTheStoreIsThere() {
        LockStore store = bench().direct().store();

        assertThat(get(store.health()).reachable()).isTrue();
        assertThat(store.address()).isNotBlank();
    }

    @Test
    @Faults({14, 15})
    default void acquire_repeated_hasTheSameTokenAndNoSecondEffect() {
        DirectStore one = bench().direct();
        long token = granted(acquire(one, "1", Bench.LONG));

        assertThat(granted(acquire(one, "1", Bench.LONG))).isEqualTo(token);
        assertThat(granted(acquire(one, "1", Bench.LONG))).isEqualTo(token);

        assertThat(release(one, "1")).isEqualTo(ReleaseReply.RELEASED);
        assertThat(granted(acquire(bench().direct(), "1", Bench.LONG))).isGreaterThan(token);
    }

    /** Otherwise the client counts its lease from the repetition, and the store from the first request. */
    @Test
    @Faults(15)
    default void acquire_repeated_startsTheLeaseAnew() {
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        acquire(one, "1", Bench.SHORT);
        long first = System.nanoTime();
        bench().until(() -> System.nanoTime() - first > Bench.SHORT.toNanos() / 2);
        long repeated = System.nanoTime();
        assertThat(acquire(one, "1", Bench.SHORT)).isInstanceOf(Granted.class);

        bench().until(() -> acquire(two, "2", Bench.SHORT) instanceof Granted);

        assertThat(System.nanoTime() - repeated).isGreaterThan(Bench.SHORT.toNanos() * 97 / 100 - 5_000_000);
    }

    @Test
    @Faults({17, 19})
    default void release_repeated_leavesTheNextOwnerAlone() {
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        acquire(one, "1", Bench.LONG);
        assertThat(release(one, "1")).isEqualTo(ReleaseReply.RELEASED);
        long token = granted(acquire(two, "2", Bench.LONG));

        assertThat(release(one, "1")).isEqualTo(ReleaseReply.NOT_OWNER);

        assertThat(granted(acquire(two, "2", Bench.LONG))).isEqualTo(token);
    }

    @Test
    @Faults(51)
    default void release_byWhoNeverHadIt_changesNothing() {
        DirectStore one = bench().direct();
        assertThat(release(one, "1")).isEqualTo(ReleaseReply.NOT_OWNER);
        acquire(one, "1", Bench.LONG);

        assertThat(release(one, "10")).isEqualTo(ReleaseReply.NOT_OWNER);
        assertThat(release(one, "")).isEqualTo(ReleaseReply.NOT_OWNER);

        assertThat(renew(one, "1", Bench.LONG)).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    @Faults({6, 18})
    default void renew_byWhoDoesNotHoldIt_neitherExtendsNorRecreates() {
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        acquire(one, "1", Bench.LONG);
        release(one, "1");

        assertThat(renew(one, "1", Bench.LONG)).isInstanceOf(RenewReply.Gone.class);
        assertThat(acquire(two, "2", Bench.SHORT)).isInstanceOf(Granted.class);
        assertThat(renew(one, "1", Bench.LONG)).isInstanceOf(RenewReply.Gone.class);

        bench().until(() -> acquire(one, "3", Bench.LONG) instanceof Granted);
    }

    @Test
    @Faults(6)
    default void renew_afterExpiry_bringsNothingBack() {
        DirectStore one = bench().direct();
        acquire(one, "1", Bench.SHORT);
        bench().until(() -> get(one.store().inspect(bench().name())).isEmpty());

        assertThat(renew(one, "1", Bench.LONG)).isInstanceOf(RenewReply.Gone.class);
        assertThat(acquire(bench().direct(), "2", Bench.LONG)).isInstanceOf(Granted.class);
    }

    @Test
    default void renew_byLessThanIsLeft_shortensNothing() {
        DirectStore one = bench().direct();
        acquire(one, "1", Bench.LONG);

        assertThat(renew(one, "1", Duration.ofMillis(100))).isInstanceOf(RenewReply.Renewed.class);
        acquire(one, "1", Duration.ofMillis(100));

        assertThat(get(one.store().inspect(bench().name())).get(0).remaining()).isGreaterThan(Bench.LONG.dividedBy(2));
    }

    @Test
    default void renew_ofABatch_answersForEachAlone() {
        DirectStore one = bench().direct();
        String third = bench().name() + ":third";
        acquire(one, "1", Bench.LONG);
        get(one.store().acquire(new AcquireRequest(third, owner(one, "3"), Bench.LONG, false)));

        List<RenewReply> replies = get(one.store()
                .renew(
                        List.of(
                                new RenewItem(bench().name(), owner(one, "1"), Bench.LONG),
                                new RenewItem(bench().name() + ":second", owner(one, "2"), Bench.LONG),
                                new RenewItem(third, owner(one, "3"), Bench.LONG)),
                        COMMAND_TIMEOUT));

        assertThat(replies).hasSize(3);
        assertThat(replies.get(0)).isEqualTo(new RenewReply.Renewed());
        assertThat(replies.get(1)).isInstanceOf(RenewReply.Gone.class);
        assertThat(replies.get(2)).isEqualTo(new RenewReply.Renewed());
        get(one.store().release(third, owner(one, "3")));
        assertThat(get(one.store().renew(List.of(), COMMAND_TIMEOUT))).isEmpty();
    }

    @Test
    default void acquire_thatDoesNotWait_leavesNoTicket() {
        DirectStore one = bench().direct();
        acquire(one, "1", Bench.LONG);

        assertThat(acquire(bench().direct(), "2", Bench.LONG)).isInstanceOf(AcquireReply.Busy.class);
        release(one, "1");

        assertThat(acquire(one, "3", Bench.LONG)).isInstanceOf(Granted.class);
    }

    @Test
    default void ticket_isServedBeforeWhoComesLater() {
        bench().needs(Capability.FIRST_COME);
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        DirectStore three = bench().direct();
        acquire(one, "1", Bench.LONG);
        assertThat(queue(two, "2")).isInstanceOf(AcquireReply.Queued.class);
        assertThat(queue(three, "3")).isInstanceOf(AcquireReply.Queued.class);
        assertThat(queue(two, "2")).as("asked again, same place").isInstanceOf(AcquireReply.Queued.class);
        assertThat(renew(one, "1", Bench.LONG)).isEqualTo(new RenewReply.Renewed());

        release(one, "1");

        assertThat(acquire(one, "4", Bench.LONG)).isInstanceOf(AcquireReply.Busy.class);
        assertThat(queue(three, "3")).isInstanceOf(AcquireReply.Queued.class);
        assertThat(queue(two, "2")).isInstanceOf(Granted.class);
        release(two, "2");
        assertThat(queue(three, "3")).isInstanceOf(Granted.class);
    }

    @Test
    @Faults(45)
    default void ticket_givenBack_isSkipped() {
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        DirectStore three = bench().direct();
        acquire(one, "1", Bench.LONG);
        queue(two, "2");
        queue(three, "3");

        assertThat(release(two, "2")).isEqualTo(ReleaseReply.NOT_OWNER);
        release(one, "1");

        assertThat(queue(three, "3")).isInstanceOf(Granted.class);
    }

    @Test
    @Faults(45)
    default void grantGivenBackUnseen_goesToTheNext() {
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        DirectStore three = bench().direct();
        acquire(one, "1", Bench.LONG);
        queue(two, "2");
        queue(three, "3");
        release(one, "1");

        release(two, "2");

        bench().until(() -> queue(three, "3") instanceof Granted);
        assertThat(release(two, "2")).isEqualTo(ReleaseReply.NOT_OWNER);
        assertThat(queue(three, "3")).isInstanceOf(Granted.class);
    }

    /** Whoever got it within its client has no use for its ticket: the lock would go to one who does not wait. */
    @Test
    @Faults({45, 49})
    default void release_takesTheTicketsOfThoseWhoWereServedAlong() {
        bench().needs(Capability.FIRST_COME);
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        acquire(one, "1", Bench.LONG);
        queue(one, "2");
        queue(one, "3");
        queue(two, "4");

        assertThat(get(one.store().release(bench().name(), owner(one, "1"), List.of(owner(one, "2"), owner(one, "3")))))
                .isEqualTo(ReleaseReply.RELEASED);

        assertThat(queue(two, "4")).isInstanceOf(AcquireReply.Granted.class);
        assertThat(release(one, "2")).isEqualTo(ReleaseReply.NOT_OWNER);
        assertThat(release(two, "4")).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    @Faults(44)
    default void release_tellsTheFirstWaiterAndNobodyElse() {
        bench().needs(Capability.NOTIFICATION);
        List<String> woken = new CopyOnWriteArrayList<>();
        StoreEvents ears = new StoreEvents() {
            @Override
            public void wake(String name, String owner) {
                woken.add(owner);
            }

            @Override
            public void wakeAll() {}

            @Override
            public void gone(String name, String owner, String detail) {}
        };
        DirectStore one = bench().direct();
        DirectStore two = bench().direct(ears);
        DirectStore three = bench().direct(ears);
        // What is sent before a store has subscribed is lost, so not every round has its wake-up.
        for (int round = 0; round < 30 && woken.isEmpty(); round++) {
            acquire(one, "1-" + round, Bench.LONG);
            queue(two, "2-" + round);
            queue(three, "3-" + round);
            release(one, "1-" + round);
            if (bench().within(Duration.ofMillis(300), () -> !woken.isEmpty())) {
                // Maybe more than once, by a store that is listened to in two places.
                assertThat(woken).containsOnly(owner(two, "2-" + round));
            }
            release(three, "3-" + round);
            release(two, "2-" + round);
        }
        assertThat(woken).isNotEmpty();
    }

    /** The caller gave up and released; then the network delivers its acquire a second time. */
    @Test
    @Faults(16)
    default void acquire_deliveredAfterTheRelease_endsWithItsLease() {
        DirectStore one = bench().direct();
        DirectStore two = bench().direct();
        acquire(one, "1", Bench.SHORT);
        release(one, "1");
        long before = System.nanoTime();
        acquire(one, "1", Bench.SHORT);

        bench().until(() -> acquire(two, "2", Bench.SHORT) instanceof Granted);

        assertThat(System.nanoTime() - before)
                .isLessThan(Bench.PATIENCE.dividedBy(2).toNanos());
    }

    @Test
    default void closedStore_failsAtOnceAndInTheStage() {
        DirectStore one = bench().direct();
        one.close();

        assertThatThrownBy(() -> acquire(one, "1", Bench.LONG)).hasCauseInstanceOf(StoreFailure.class);
        assertThatThrownBy(() -> release(one, "1")).hasCauseInstanceOf(StoreFailure.class);
        assertThatThrownBy(() -> renew(one, "1", Bench.LONG)).hasCauseInstanceOf(StoreFailure.class);
    }

    private String owner(DirectStore client, String acquisition) {
        return client.clientId() + ":1:" + acquisition;
    }

    private AcquireReply acquire(DirectStore client, String acquisition, Duration lease) {
        return get(
                client.store().acquire(new AcquireRequest(bench().name(), owner(client, acquisition), lease, false)));
    }

    private AcquireReply queue(DirectStore client, String acquisition) {
        return get(client.store()
                .acquire(new AcquireRequest(bench().name(), owner(client, acquisition), Bench.LONG, true)));
    }

    private ReleaseReply release(DirectStore client, String acquisition) {
        return get(client.store().release(bench().name(), owner(client, acquisition)));
    }

    private RenewReply renew(DirectStore client, String acquisition, Duration lease) {
        RenewItem item = new RenewItem(bench().name(), owner(client, acquisition), lease);
        return get(client.store().renew(List.of(item), COMMAND_TIMEOUT)).get(0);
    }

    private static long granted(AcquireReply reply) {
        assertThat(reply).isInstanceOf(Granted.class);
        return ((Granted) reply).token();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}
