package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one server of a quorum does, sent to it without the library. */
class QuorumScriptIT {
    private static final String LOCK = Scripts.PREFIX + "a";
    private static final String QUEUE = Scripts.PREFIX + "~queue:{" + LOCK + "}";
    private static final String TURN = Scripts.PREFIX + "~turn:{" + LOCK + "}";

    private RedisServer redis;

    @BeforeEach
    void empty() {
        redis = SharedRedis.empty();
    }

    private List<?> run(String... args) {
        Object reply = new Scripts(redis).run(Script.QUORUM, List.of(LOCK, QUEUE, Scripts.FENCE, TURN), args);
        assertThat(reply).isInstanceOf(List.class);
        return (List<?>) requireNonNull(reply);
    }

    private List<?> acquire(String holder, long proposal, int tokens, String waiter) {
        return run(
                "acquire",
                holder,
                "30000",
                Long.toString(now()),
                Long.toString(proposal),
                Integer.toString(tokens),
                waiter,
                Scripts.NO_HURRY);
    }

    private List<?> release(String holder, String owner) {
        return run("release", holder, owner, Scripts.PREFIX + "~inbox:", "100");
    }

    private long now() {
        List<?> time = (List<?>) requireNonNull(redis.command("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000 + Long.parseLong(String.valueOf(time.get(1)));
    }

    private static long part(List<?> reply, int index) {
        return ((Number) reply.get(index)).longValue();
    }

    private static int code(List<?> reply) {
        return (int) part(reply, 0);
    }

    @Test
    void counterThatIsMissing_startsTwoSecondsAheadOfTheClock() {
        long before = now();
        List<?> reply = acquire("one", 5, 1, "");

        assertThat(code(reply)).isEqualTo(1);
        assertThat(part(reply, 2)).isBetween(before + 2_000_000, now() + 2_000_000);
        assertThat(redis.command("GET", LOCK)).isEqualTo("hf1:one:" + part(reply, 2));
    }

    @Test
    void proposal_isTaken_butNoFurtherThanASecondAhead() {
        redis.command("SET", Scripts.FENCE, "100");
        long proposal = now() + 500_000;
        assertThat(part(acquire("one", proposal, 1, ""), 2)).isEqualTo(proposal);
        release("one", "one");

        long far = part(acquire("two", proposal + 3_600_000_000L, 1, ""), 2);

        assertThat(far).isGreaterThan(proposal).isLessThanOrEqualTo(now() + 1_000_000);
    }

    @Test
    void tokens_followTheCounter_ifTheProposalIsBehindIt() {
        redis.command("SET", Scripts.FENCE, "9000000000000000");

        List<?> reply = acquire("one", now(), 4, "");

        assertThat(part(reply, 2)).isEqualTo(9_000_000_000_000_001L);
        assertThat(part(reply, 3)).isEqualTo(4);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo("9000000000000004");
        assertThat(redis.command("GET", LOCK)).isEqualTo("hf1:one:9000000000000001+3");
    }

    @Test
    @Faults(15)
    void acquireRepeated_hasTheSameTokens_andTheFullLeaseAgain() {
        List<?> first = acquire("one", now(), 3, "");
        redis.command("PEXPIRE", LOCK, "500");

        List<?> again = acquire("one", now() + 900_000, 1, "");

        assertThat(code(again)).isEqualTo(2);
        assertThat(again.subList(2, 4)).isEqualTo(first.subList(2, 4));
        assertThat((Long) requireNonNull(redis.command("PTTL", LOCK))).isGreaterThan(20_000);
    }

    @Test
    @Faults(16)
    void acquireAfterItsTime_isRefused() {
        assertThat(code(run("acquire", "one", "30000", "0", "5", "1", "", "1"))).isEqualTo(4);
        assertThat(redis.keys()).isEmpty();
    }

    @Test
    @Faults(39)
    void somethingWithoutAnExpiry_isSaid() {
        redis.command("SET", LOCK, "x");

        assertThat(code(acquire("one", 5, 1, ""))).isEqualTo(5);
    }

    // --- settle

    @Test
    void settle_raisesTheCounterAndTheToken_andKeepsTheLease() {
        long token = part(acquire("one", now(), 1, ""), 2);
        redis.command("PEXPIRE", LOCK, "5000");

        List<?> reply =
                run("settle", "one", Long.toString(token), Long.toString(token + 10), Long.toString(token + 10));

        assertThat(code(reply)).isEqualTo(1);
        assertThat(redis.command("GET", LOCK)).isEqualTo("hf1:one:" + (token + 10));
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(token + 10));
        assertThat((Long) requireNonNull(redis.command("PTTL", LOCK))).isBetween(1L, 5_000L);
        assertThat(part(acquire("one", 5, 1, ""), 2)).isEqualTo(token + 10);
    }

    @Test
    void settle_ofLessThanTheCounter_doesNotLowerIt() {
        long token = part(acquire("one", now(), 1, ""), 2);

        run("settle", "one", Long.toString(token), Long.toString(token - 10), Long.toString(token - 10));

        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(token));
    }

    /** It ran out, and a late duplicate of the request made it anew: others may have been in between. */
    @Test
    @Faults(16)
    void settle_ofALockThatWasLostAndCameBack_doesNotCount() {
        long token = part(acquire("one", now(), 1, ""), 2);
        redis.command("DEL", LOCK);
        long anew = part(acquire("one", 5, 1, ""), 2);

        List<?> reply =
                run("settle", "one", Long.toString(token), Long.toString(token + 10), Long.toString(token + 10));

        assertThat(code(reply)).isZero();
        assertThat(redis.command("GET", LOCK)).isEqualTo("hf1:one:" + anew);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(anew));
    }

    @Test
    void settle_repeated_countsAgain() {
        long token = part(acquire("one", now(), 2, ""), 2);
        String[] settle = {"settle", "one", token + "+1", (token + 10) + "+1", Long.toString(token + 11)};

        assertThat(code(run(settle))).isEqualTo(1);
        assertThat(code(run(settle))).isEqualTo(1);
    }

    // --- giving up

    @Test
    @Faults({17, 19})
    void release_byAnother_changesNothing() {
        acquire("one", 5, 1, "");

        assertThat(code(release("on", "on"))).isZero();
        assertThat(code(release("one#2", "one"))).isZero();
        assertThat(code(run("retreat", "one#2", "", "0"))).isZero();
        assertThat(code(release("one", "one"))).isEqualTo(1);
        assertThat(code(release("one", "one"))).isZero();
    }

    @Test
    void retreat_givesTheLockBack_keepsThePlaceAndGivesNobodyATurn() {
        acquire("c1:1:a", 5, 1, "c1:1:a");
        acquire("c2:1:b", 5, 1, "c2:1:b");

        assertThat(code(run("retreat", "c1:1:a", "c1:1:a", Long.toString(now()))))
                .isEqualTo(1);

        assertThat(redis.keys()).doesNotContain(LOCK, TURN);
        assertThat(redis.command("ZRANGE", QUEUE, "0", "-1")).isEqualTo(List.of("c2:1:b", "c1:1:a"));
    }

    @Test
    @Faults(48)
    void release_passesOverThoseWhoDoNotListen_andLeavesNoTurnBehind() {
        acquire("c1:1:a", 5, 1, "");
        acquire("c2:1:b", 5, 1, "c2:1:b");
        acquire("c3:1:c", 5, 1, "c3:1:c");
        redis.command("ZADD", QUEUE, "7", "c2:1:b");
        redis.command("ZADD", QUEUE, "8", "c3:1:c");

        List<?> reply = release("c1:1:a", "c1:1:a");

        assertThat(code(reply)).isEqualTo(1);
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    /** Whoever has just come may not have subscribed yet, and is not to be overtaken by who comes then. */
    @Test
    @Faults(41)
    void release_keepsItForThoseWhoHaveOnlyJustCome() {
        acquire("c1:1:a", 5, 1, "");
        acquire("c2:1:b", 5, 1, "c2:1:b");

        release("c1:1:a", "c1:1:a");

        assertThat(code(acquire("c3:1:c", 5, 1, ""))).isEqualTo(3);
        assertThat(code(acquire("c2:1:b", 5, 1, "c2:1:b"))).isEqualTo(1);
    }

    @Test
    void places_areTheClientsWord() {
        acquire("c1:1:a", 5, 1, "");
        run("acquire", "c2:1:b", "30000", "20", "5", "1", "c2:1:b", Scripts.NO_HURRY);
        run("acquire", "c3:1:c", "30000", "10", "5", "1", "c3:1:c", Scripts.NO_HURRY);
        run("acquire", "c2:1:b", "30000", "5", "5", "1", "c2:1:b", Scripts.NO_HURRY);

        assertThat(redis.command("ZRANGE", QUEUE, "0", "-1")).isEqualTo(List.of("c3:1:c", "c2:1:b"));
    }

    @Test
    @Faults(49)
    void turn_keepsOthersOutForAMoment() {
        redis.command("SET", TURN, "c2:1:b", "PX", "5000");

        List<?> busy = acquire("c3:1:c", 5, 1, "c3:1:c");
        assertThat(code(busy)).isEqualTo(3);
        assertThat(busy.get(3)).isEqualTo("hf1:c2:1:b:turn");
        assertThat(code(acquire("c4:1:d", 5, 1, ""))).isEqualTo(3);

        assertThat(code(acquire("c2:1:b#3", 5, 1, "c2:1:b"))).isEqualTo(1);
        assertThat(redis.keys()).doesNotContain(TURN);
    }

    @Test
    @Faults(45)
    void turnOfOneWhoGivesUp_ends() {
        redis.command("SET", TURN, "c2:1:b", "PX", "5000");

        release("c2:1:b", "c2:1:b");

        assertThat(code(acquire("c4:1:d", 5, 1, ""))).isEqualTo(1);
    }
}
