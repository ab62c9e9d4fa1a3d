package io.holdfast.memory;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemorySpaceTest {

    /** Leases that ended without a release stayed for ever. */
    @Test
    void namesWhoseLeaseRanOut_areForgotten() throws InterruptedException {
        MemorySpace space = new MemorySpace("");
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new MemoryStore(space, context, () -> {}))
                .build()) {
            for (int i = 0; i < 5_000; i++) {
                assertThat(locks.lock("brief:" + i).tryLock(0, 1, TimeUnit.SECONDS))
                        .isTrue();
            }
            long over = System.nanoTime() + ofMillis(1_100).toNanos();
            while (System.nanoTime() - over < 0) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(locks.lock("x").tryLock()).isTrue();
                assertThat(locks.lock("x").unlock()).isTrue();
            }
            assertThat(space.size()).isLessThan(10);
        }
    }
}
