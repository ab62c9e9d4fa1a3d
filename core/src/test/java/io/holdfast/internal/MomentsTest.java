package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.internal.HeldLease.Validity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MomentsTest {
    private final Moments moments = new Moments();
    /** What is expected of them: when each lease is due. */
    private final Map<HeldLease, Long> expected = new LinkedHashMap<>();

    private static HeldLease lease() {
        return new HeldLease("x", new OwnerId("client", 1, 1), 1, LockOptions.DEFAULT, null, 0, new Validity(0, 1, 1));
    }

    private static Moment moment(HeldLease lease) {
        return Objects.requireNonNull(lease.moment);
    }

    private HeldLease add(long nanos) {
        HeldLease lease = lease();
        moments.add(lease, nanos, false);
        return lease;
    }

    private List<Long> drain() {
        List<Long> drained = new ArrayList<>();
        while (!moments.isEmpty()) {
            Moment first = moments.first();
            drained.add(first.nanos());
            HeldLease one = first.lease(first.size() - 1);
            moments.remove(one);
            assertThat(one.isWatched()).isFalse();
        }
        return drained;
    }

    private HeldLease any(Random random) {
        return new ArrayList<>(expected.keySet()).get(random.nextInt(expected.size()));
    }

    private List<HeldLease> standingWith(HeldLease lease) {
        List<HeldLease> all = new ArrayList<>();
        for (int i = 0; i < moment(lease).size(); i++) {
            all.add(moment(lease).lease(i));
        }
        return all;
    }

    private void step(Random random, boolean grows) {
        if (expected.isEmpty() || random.nextInt(4) < (grows ? 2 : 1)) {
            long nanos = random.nextInt(100);
            expected.put(add(nanos), nanos);
            return;
        }
        HeldLease one = any(random);
        HeldLease other = any(random);
        long nanos = random.nextInt(100);
        switch (grows ? random.nextInt(4) : random.nextInt(8)) {
            case 0 -> {
                moments.add(one, nanos, true);
                expected.put(one, nanos);
                assertThat(moment(one).isForRenewal()).isTrue();
                assertThat(moment(one).size()).isEqualTo(1);
            }
            case 1 -> {
                moments.move(moment(one), nanos, false);
                standingWith(one).forEach(each -> expected.put(each, nanos));
            }
            case 2 -> {
                if (moment(one) != moment(other)) {
                    List<HeldLease> all = standingWith(other);
                    all.add(one);
                    moments.join(one, moment(other));
                    assertThat(standingWith(other)).containsExactlyInAnyOrderElementsOf(all);
                    expected.put(one, moment(other).nanos());
                }
            }
            default -> {
                moments.remove(one);
                expected.remove(one);
                assertThat(one.isWatched()).isFalse();
                moments.remove(one);
            }
        }
    }

    /** Against a plain map, with comings and goings in any order, beyond several growths and shrinkings. */
    @Test
    void first_isAlwaysTheEarliest() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            expected.clear();
            for (int step = 0; step < 1_000; step++) {
                step(random, step < 500);
                assertThat(moments.isEmpty()).isEqualTo(expected.isEmpty());
                if (!expected.isEmpty()) {
                    assertThat(moments.first().nanos())
                            .as("seed %s, step %s", seed, step)
                            .isEqualTo(expected.values().stream()
                                    .min(Comparator.naturalOrder())
                                    .orElseThrow());
                }
            }
            assertThat(moments.all()).containsExactlyInAnyOrderElementsOf(expected.keySet());
            assertThat(moments.all())
                    .allSatisfy(each -> assertThat(moment(each).nanos()).isEqualTo(expected.get(each)));
            assertThat(drain()).isEqualTo(expected.values().stream().sorted().toList());
        }
    }

    /** As differences, not as numbers: a clock that counts nanoseconds may overflow. */
    @Test
    void order_outlivesTheOverflowOfTheClock() {
        add(Long.MIN_VALUE + 5);
        add(Long.MAX_VALUE - 5);

        assertThat(drain()).containsExactly(Long.MAX_VALUE - 5, Long.MIN_VALUE + 5);
    }

    @Test
    void clear_forgetsEverybody() {
        List<HeldLease> leases = List.of(add(3), add(1), add(2), add(4));
        moments.join(leases.get(0), moment(leases.get(3)));

        moments.clear();

        assertThat(moments.isEmpty()).isTrue();
        assertThat(leases).noneMatch(HeldLease::isWatched);
    }
}
