package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.spi.Share;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A client, and a store whose lock is passed on in a row among those who stand in its queue. */
abstract class RowFixture {
    final StepPlatform platform = new StepPlatform(true);
    final List<Loss> losses = new ArrayList<>();
    private @Nullable Engine engine;
    private @Nullable QueueStore store;

    private Share share = Share.WHOLE;
    LockOptions options = LockOptions.DEFAULT;
    /** As on Redis: of a whole lock a release takes back only the tickets of those who were served. */
    boolean keepsServed;

    final void open(int permits) {
        share = permits == 0 ? Share.WHOLE : Share.permits(1, permits);
        LockListener listener = new LockListener() {
            @Override
            public void lost(Hold hold, Loss loss) {
                losses.add(loss);
            }
        };
        engine = Engine.open(
                context -> store = new QueueStore(context, Math.max(1, permits)) {
                    @Override
                    void takesFromServed(List<String> served) {
                        if (!keepsServed) {
                            super.takesFromServed(served);
                        }
                    }
                },
                "p:",
                ofSeconds(2),
                platform,
                List.of(listener));
    }

    @AfterEach
    void nothingIsLeft() {
        platform.settle();
        assertThat(engine().requests().underWay()).isZero();
        assertThat(engine().lines().isEmpty()).isTrue();
        assertThat(engine().held()).isZero();
        assertThat(store().isEmpty()).isTrue();
        engine().close();
    }

    final Engine engine() {
        return requireNonNull(engine);
    }

    final QueueStore store() {
        return requireNonNull(store);
    }

    final TurnTaker taker(String name, Order order) {
        return new TurnTaker(engine(), platform, name, options, share, order);
    }

    final TurnTaker taker(String name) {
        return taker(name, Order.QUEUE);
    }

    /** The first of these has it, in a row with the others behind it in their order. */
    final void contend(TurnTaker... row) {
        TurnTaker before = taker("before").asks();
        for (TurnTaker one : row) {
            one.asks();
        }
        assertThat(before.unlocks()).isTrue();
        platform.settle();
        row[0].comes();
        assertThat(row[0].has()).isTrue();
    }

    final void handOver(TurnTaker from, TurnTaker to) {
        assertThat(from.unlocks()).isTrue();
        to.comes();
        platform.settle();
        to.comes();
        assertThat(to.has()).isTrue();
    }
}
