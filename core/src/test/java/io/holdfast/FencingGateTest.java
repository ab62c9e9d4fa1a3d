package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class FencingGateTest {
    private final FencingGate gate = FencingGate.inMemory();

    @Test
    void firstToken_isAdmittedWhateverItIs() {
        assertThatCode(() -> gate.admit("a", 0)).doesNotThrowAnyException();
        assertThatCode(() -> gate.admit("b", Long.MAX_VALUE)).doesNotThrowAnyException();
    }

    @Test
    void sameToken_isAdmittedAgain() {
        gate.admit("invoice", 7);

        assertThatCode(() -> gate.admit("invoice", 7)).doesNotThrowAnyException();
    }

    @Test
    void lowerToken_isRefusedWithResourceAndBothTokens() {
        gate.admit("invoice", 8);

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> gate.admit("invoice", 7))
                .withMessage("resource 'invoice' refuses token 7: it has already seen 8")
                .satisfies(e -> {
                    assertThat(e.resource()).isEqualTo("invoice");
                    assertThat(e.token()).isEqualTo(7);
                });
    }

    @Test
    void refusedToken_changesNothing() {
        gate.admit("invoice", 8);
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit("invoice", 7));

        assertThatCode(() -> gate.admit("invoice", 8)).doesNotThrowAnyException();
    }

    @Test
    void resources_areIndependent() {
        gate.admit("invoice", 8);

        assertThatCode(() -> gate.admit("order", 7)).doesNotThrowAnyException();
    }

    @Test
    void gates_areIndependent() {
        gate.admit("invoice", 8);

        assertThatCode(() -> FencingGate.inMemory().admit("invoice", 7)).doesNotThrowAnyException();
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void nullResource_isRefusedByName() {
        assertThatNullPointerException().isThrownBy(() -> gate.admit(null, 1)).withMessage("resource");
    }

    @Test
    void manyThreads_afterTheHighestWasAdmittedNoneBelowIt() throws Exception {
        int threads = 8;
        int tokens = 2_000;
        List<Long> written = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> writers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                long first = t;
                writers.add(pool.submit(() -> {
                    start.await();
                    for (long token = first; token < tokens; token += threads) {
                        write(written, token);
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> writer : writers) {
                writer.get();
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(written).isSorted().endsWith(tokens - 1L);
    }

    /** The check and the write as one step, which is the only way in which a gate protects anything. */
    private void write(List<Long> written, long token) {
        synchronized (written) {
            try {
                gate.admit("resource", token);
                written.add(token);
            } catch (StaleTokenException e) {
                assertThat(token).isLessThan(written.get(written.size() - 1));
            }
        }
    }
}
