package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.PushedGrant;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What counts as held, and what does not, when questions, answers and releases cross. */
class WitnessTest {
    private static final Duration LEASE = Duration.ofSeconds(20);

    private final Witness witness = new Witness();
    private long token;

    /** What is under way of a request. */
    private record Asked(AcquireRequest request, long sent, long floor) {}

    private Asked ask(String owner) {
        AcquireRequest request = new AcquireRequest("a", owner, LEASE, true);
        return new Asked(request, System.nanoTime(), witness.asked(request));
    }

    private void grants(Asked asked) {
        answers(asked, new AcquireReply.Granted(++token));
    }

    private void queues(Asked asked) {
        answers(asked, new AcquireReply.Queued(LEASE, true));
    }

    private void answers(Asked asked, AcquireReply reply) {
        witness.answered(asked.request(), reply, asked.sent(), asked.floor());
    }

    private void pushes(String owner) {
        witness.pushed(new PushedGrant("a", owner, ++token, 1, LEASE, System.nanoTime(), System.currentTimeMillis()));
    }

    @Test
    void grantBesideAGrant_isAViolation() {
        grants(ask("one"));
        grants(ask("other"));

        assertThat(witness.violations()).singleElement().asString().contains("granted to other while one held it");
    }

    @Test
    void pushedGrantBesideAGrant_isAViolation() {
        queues(ask("other"));
        grants(ask("one"));
        pushes("other");

        assertThat(witness.violations()).singleElement().asString().contains("granted to other while one held it");
    }

    @Test
    void grantAfterARelease_isNone() {
        grants(ask("one"));
        witness.released("a", "one");
        grants(ask("other"));

        assertThat(witness.violations()).isEmpty();
    }

    /** One that was passed the lock by another thread of its client while it asked, and gives back what comes of that. */
    @Test
    void answerToWhatWasAskedBeforeTheRelease_isReliedOnByNobody() {
        Asked late = ask("one");
        witness.released("a", "one");
        queues(late);
        pushes("one");
        grants(ask("other"));

        assertThat(witness.violations()).isEmpty();
        assertThat(witness.waiting("a")).isZero();
        assertThat(witness.waitingEver("a")).isOne();
    }

    @Test
    void grantInAnswerToWhatWasAskedBeforeTheRelease_isReliedOnByNobody() {
        Asked late = ask("one");
        witness.released("a", "one");
        grants(ask("other"));
        grants(late);

        assertThat(witness.violations()).noneMatch(violation -> violation.contains("was granted to"));
    }

    @Test
    void whoAsksAgainAfterItsRelease_countsAgain() {
        grants(ask("one"));
        witness.released("a", "one");
        grants(ask("one"));
        grants(ask("other"));

        assertThat(witness.violations()).singleElement().asString().contains("granted to other while one held it");
    }
}
