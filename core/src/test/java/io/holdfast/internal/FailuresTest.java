package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class FailuresTest {

    /** A caller that dies of an Error leaves before anything has come of its attempt. */
    @Test
    void outcomeOfAnAttemptThatIsNotOver_isNotWaitedFor() {
        CompletableFuture<Optional<String>> open = new CompletableFuture<>();

        Outcome outcome =
                Assertions.assertTimeoutPreemptively(Duration.ofSeconds(10), () -> Failures.outcome(open, true));

        assertThat(outcome).isEqualTo(Outcome.INTERRUPTED);
    }

    @Test
    void outcomes_areWhatCameOfIt() {
        assertThat(Failures.outcome(CompletableFuture.completedFuture(Optional.of("lease")), true))
                .isEqualTo(Outcome.OBTAINED);
        assertThat(Failures.outcome(CompletableFuture.completedFuture(Optional.empty()), true))
                .isEqualTo(Outcome.TIMED_OUT);
        assertThat(Failures.outcome(CompletableFuture.completedFuture(Optional.empty()), false))
                .isEqualTo(Outcome.BUSY);
    }
}
