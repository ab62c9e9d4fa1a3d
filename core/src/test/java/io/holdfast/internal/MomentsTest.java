package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.internal.HeldLease.Validity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MomentsTest {
    private final Moments moments = new Moments();

    private static HeldLease lease(long moment) {
        HeldLease lease = new HeldLease(
                "x", new OwnerId("client", 1, moment), 1, LockOptions.DEFAULT, null, 0, new Validity(0, 1, 1));
        lease.nextNanos = moment;
        return lease;
    }

    private List<Long> drain() {
        List<Long> drained = new ArrayList<>();
        while (!moments.isEmpty()) {
            HeldLease first = moments.first();
            drained.add(first.nextNanos);
            moments.remove(first);
            assertThat(first.isWatched()).isFalse();
        }
        return drained;
    }

    /** Against a plain list, with comings and goings in any order, beyond several growths and shrinkings. */
    @Test
    void first_isAlwaysTheEarliest() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            List<HeldLease> expected = new ArrayList<>();
            for (int step = 0; step < 1_000; step++) {
                boolean grows = step < 500;
                if (expected.isEmpty() || random.nextInt(3) < (grows ? 2 : 1)) {
                    HeldLease lease = lease(random.nextInt(100));
                    moments.add(lease);
                    expected.add(lease);
                } else {
                    HeldLease gone = expected.remove(random.nextInt(expected.size()));
                    moments.remove(gone);
                    assertThat(gone.isWatched()).isFalse();
                }
                assertThat(moments.isEmpty()).isEqualTo(expected.isEmpty());
                if (!expected.isEmpty()) {
                    long earliest = expected.stream()
                            .mapToLong(lease -> lease.nextNanos)
                            .min()
                            .orElseThrow();
                    assertThat(moments.first().nextNanos)
                            .as("seed %s, step %s", seed, step)
                            .isEqualTo(earliest);
                }
            }
            assertThat(moments.all()).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(drain())
                    .isEqualTo(expected.stream()
                            .map(lease -> lease.nextNanos)
                            .sorted(Comparator.naturalOrder())
                            .toList());
        }
    }

    /** As differences, not as numbers: a clock that counts nanoseconds may overflow. */
    @Test
    void order_outlivesTheOverflowOfTheClock() {
        moments.add(lease(Long.MIN_VALUE + 5));
        moments.add(lease(Long.MAX_VALUE - 5));

        assertThat(drain()).containsExactly(Long.MAX_VALUE - 5, Long.MIN_VALUE + 5);
    }

    @Test
    void clear_forgetsEverybody() {
        List<HeldLease> leases = List.of(lease(3), lease(1), lease(2));
        leases.forEach(moments::add);

        moments.clear();

        assertThat(moments.isEmpty()).isTrue();
        assertThat(leases).noneMatch(HeldLease::isWatched);
    }
}
