package io.holdfast;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HoldfastBuilderTest {

    @Test
    void defaults_arriveAtTheStore() {
        StoreContext context = open(Holdfast.builder());

        assertThat(context.keyPrefix()).isEqualTo("distributed_lock:");
        assertThat(context.commandTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(context.clientId()).matches("[0-9a-z]{5,30}");
    }

    @Test
    void settings_arriveAtTheStore() {
        StoreContext context = open(Holdfast.builder().keyPrefix("app:").commandTimeout(Duration.ofMillis(10)));

        assertThat(context.keyPrefix()).isEqualTo("app:");
        assertThat(context.commandTimeout()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void clients_haveIdsOfTheirOwn() {
        assertThat(open(Holdfast.builder()).clientId())
                .isNotEqualTo(open(Holdfast.builder()).clientId());
    }

    @Test
    void whereItRuns_arrivesAtTheStore_unlessItIsSwitchedOff() {
        assertThat(open(Holdfast.builder().application("shop")).origin()).hasValueSatisfying(origin -> {
            assertThat(origin.application()).isEqualTo("shop");
            assertThat(origin.processId()).isEqualTo(ProcessHandle.current().pid());
        });
        assertThat(open(Holdfast.builder()).origin()).isPresent();
        assertThat(open(Holdfast.builder().holderInfo(false)).origin()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.builder().application("two\nlines"))
                .withMessageContaining("application must be printable text");
    }

    private static StoreContext open(Holdfast.Builder builder) {
        List<StoreContext> seen = new ArrayList<>();
        StoreFactory memory = MemoryStore.isolated();
        builder.store(context -> {
                    seen.add(context);
                    return memory.open(context);
                })
                .build()
                .close();
        return seen.get(0);
    }

    @Test
    void noStore_isRefusedWithTheRemedy() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.builder().build())
                .withMessage("no store given: call uri(…) or store(…)");
    }

    @Test
    void unknownScheme_isRefusedWithWhatIsThereAndWithoutThePassword() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("redis://user:sesame@host"))
                .withMessage("no store for 'redis://user:***@host': the class path has stores for [memory];"
                        + " is a module such as holdfast-redis missing?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.009S", "PT1M0.001S", "PT2562047788015215H"})
    void commandTimeout_outOfBounds_isRefusedWithTheValueAndTheRule(Duration timeout) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.builder().commandTimeout(timeout))
                .withMessage("commandTimeout " + timeout + " is not between 10 ms and 1 min");
    }

    @Test
    void badPrefix_isRefusedWhenSet() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.builder().keyPrefix("a{b}"))
                .withMessage("key prefix 'a{b}' must not contain braces");
    }

    @Test
    void badLease_isRefusedWithTheValueTheRuleAndTheLock() {
        try (Holdfast locks = Holdfast.connect("memory:")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.lock("invoice:42", o -> o.lease(Duration.ofMillis(5))))
                    .withMessage("lease 5 ms is below the minimum of 100 ms (lock 'invoice:42')");
        }
    }

    @Test
    void lock_ofAClosedClient_saysSo() {
        Holdfast locks = Holdfast.connect("memory:");
        locks.close();
        locks.close();

        assertThatExceptionOfType(ClientClosedException.class)
                .isThrownBy(() -> locks.lock("a").tryLock(1, SECONDS))
                .withMessage("lock 'a': the Holdfast client is closed")
                .satisfies(e -> assertThat(e.lockName()).isEqualTo("a"));
    }
}
