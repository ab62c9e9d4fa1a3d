package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.AcquireVotes.Answer;
import io.holdfast.redis.AcquireVotes.Verdict;
import io.holdfast.spi.StoreFailure;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every combination of answers, for three, four and five servers. */
class AcquireVotesTest {
    private static final Vote<Answer> GRANTED = Vote.of(new Answer.Granted(7, 1, false));
    private static final Vote<Answer> ONE = Vote.of(new Answer.Busy(100, "hf1:one:1"));
    private static final Vote<Answer> TWO = Vote.of(new Answer.Busy(200, "hf1:two:1"));
    private static final Vote<Answer> FAILED = Vote.failed(StoreFailure.unavailable("gone", null));

    private static final List<@Nullable Vote<Answer>> KINDS = kinds();

    private static List<@Nullable Vote<Answer>> kinds() {
        List<@Nullable Vote<Answer>> kinds = new ArrayList<>(List.of(GRANTED, ONE, TWO, FAILED));
        kinds.add(null);
        return kinds;
    }

    private static Stream<List<@Nullable Vote<Answer>>> combinations(int nodes) {
        if (nodes == 0) {
            return Stream.of(new ArrayList<@Nullable Vote<Answer>>());
        }
        return combinations(nodes - 1)
                .flatMap(fewer -> KINDS.stream().map(kind -> {
                    List<@Nullable Vote<Answer>> votes = new ArrayList<>(fewer);
                    votes.add(kind);
                    return votes;
                }));
    }

    private static Verdict verdict(List<@Nullable Vote<Answer>> votes) {
        return new AcquireVotes(new Quorum(votes.size()), votes).verdict();
    }

    private static long count(List<@Nullable Vote<Answer>> votes, @Nullable Vote<Answer> kind) {
        return votes.stream().filter(vote -> Objects.equals(vote, kind)).count();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Faults({30, 31})
    void verdict_ofEveryCombination_isWhatTheNumbersSay(int nodes) {
        int majority = nodes / 2 + 1;
        combinations(nodes).forEach(votes -> {
            long others = count(votes, ONE) + count(votes, TWO);
            Verdict verdict = verdict(votes);
            switch (verdict) {
                case GRANTED ->
                    assertThat(count(votes, GRANTED)).as("%s", votes).isGreaterThanOrEqualTo(majority);
                case HELD ->
                    assertThat(Math.max(count(votes, ONE), count(votes, TWO)))
                            .as("%s", votes)
                            .isGreaterThanOrEqualTo(majority);
                case SPLIT ->
                    // The others alone stand in the way, or without them we would have got it.
                    assertThat(nodes - others < majority || count(votes, GRANTED) + others >= majority)
                            .as("%s", votes)
                            .isTrue();
                case FAILED -> {
                    // Without the others we would not have got it either.
                    assertThat(count(votes, GRANTED) + others).as("%s", votes).isLessThan(majority);
                    assertThat(nodes - others).as("%s", votes).isGreaterThanOrEqualTo(majority);
                }
                case OPEN -> assertThat(votes).containsNull();
            }
            if (count(votes, GRANTED) >= majority) {
                assertThat(verdict).as("%s", votes).isEqualTo(Verdict.GRANTED);
            }
            if (count(votes, FAILED) >= majority) {
                assertThat(verdict).as("%s", votes).isIn(Verdict.FAILED, Verdict.OPEN, Verdict.SPLIT);
            }
            if (nodes % 2 == 1 && count(votes, FAILED) >= majority) {
                assertThat(verdict).as("%s", votes).isEqualTo(Verdict.FAILED);
            }
        });
    }

    /** Whatever the missing answers are, they would not change it. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void verdictBeforeAllHaveAnswered_isTheFinalOne(int nodes) {
        combinations(nodes).filter(votes -> votes.contains(null)).forEach(votes -> {
            Set<Verdict> ends = EnumSet.noneOf(Verdict.class);
            complete(votes, 0, ends);
            if (verdict(votes) == Verdict.OPEN) {
                assertThat(ends).as("%s", votes).hasSizeGreaterThan(1);
            } else {
                assertThat(ends).as("%s", votes).containsExactly(verdict(votes));
            }
        });
    }

    private static void complete(List<@Nullable Vote<Answer>> votes, int from, Set<Verdict> ends) {
        int missing = votes.subList(from, votes.size()).indexOf(null);
        if (missing < 0) {
            ends.add(verdict(votes));
            return;
        }
        for (Vote<Answer> kind : List.of(GRANTED, ONE, TWO, FAILED)) {
            List<@Nullable Vote<Answer>> more = new ArrayList<>(votes);
            more.set(from + missing, kind);
            complete(more, from + missing + 1, ends);
        }
    }

    private static AcquireVotes tokens(long... tokens) {
        List<@Nullable Vote<Answer>> votes = new ArrayList<>();
        for (long token : tokens) {
            votes.add(token == 0 ? FAILED : Vote.of(new Answer.Granted(token, 1, false)));
        }
        return new AcquireVotes(new Quorum(tokens.length), votes);
    }

    @Test
    void tokens_areAgreedOnOnlyIfAMajorityOfAllHasThem() {
        assertThat(tokens(5, 5, 5, 0, 0).agreed()).isEqualTo(new Answer.Granted(5, 1, false));
        assertThat(tokens(5, 9, 5, 5, 0).agreed()).isEqualTo(new Answer.Granted(5, 1, false));
        assertThat(tokens(5, 5, 6, 0, 0).agreed()).isNull();
        assertThat(tokens(5, 5, 6, 6, 9).agreed()).isNull();
        assertThat(tokens(5, 5, 6, 6, 9).highest().last()).isEqualTo(9);
    }

    @Test
    void recheck_isWhenEnoughOthersHaveLetGo() {
        List<@Nullable Vote<Answer>> votes = new ArrayList<>(List.of(GRANTED, ONE, TWO, TWO, ONE));
        AcquireVotes counted = new AcquireVotes(new Quorum(5), votes);

        // Two more are needed, and the second to let go does so in 100 ms.
        assertThat(counted.leftMillis()).isEqualTo(100);
        assertThat(counted.isContended()).isTrue();
        assertThat(counted(List.of(GRANTED, TWO, ONE)).leftMillis())
                .as("one more is needed, and what we have is no one's to let go")
                .isEqualTo(100);
    }

    private static AcquireVotes counted(List<@Nullable Vote<Answer>> votes) {
        return new AcquireVotes(new Quorum(votes.size()), votes);
    }

    /** Another try may do better only if some of the votes were ours, and nobody has won. */
    @Test
    void contention_isASplitInWhichSomeVotesAreOurs() {
        assertThat(counted(List.of(GRANTED, ONE, TWO)).isContended()).isTrue();
        assertThat(counted(List.of(ONE, TWO, FAILED)).verdict()).isEqualTo(Verdict.SPLIT);
        assertThat(counted(List.of(ONE, TWO, FAILED)).isContended())
                .as("none is ours")
                .isFalse();
        assertThat(counted(List.of(GRANTED, ONE, ONE)).isContended())
                .as("another has it")
                .isFalse();
        assertThat(counted(List.of(GRANTED, GRANTED, ONE)).isContended())
                .as("we have it")
                .isFalse();
        assertThat(counted(List.of(GRANTED, GRANTED, ONE)).granted()).isEqualTo(2);
    }

    @Test
    void repetition_isOneIfAnyServerHadTheKeyBefore() {
        Vote<Answer> before = Vote.of(new Answer.Granted(7, 1, true));
        List<@Nullable Vote<Answer>> open = new ArrayList<>(List.of(GRANTED, ONE));
        open.add(null);

        assertThat(counted(open).isRepetition()).isFalse();
        open.set(1, before);
        assertThat(counted(open).isRepetition()).isTrue();
        assertThat(counted(List.of(ONE, FAILED, TWO)).isRepetition()).isFalse();
    }

    /** One foreign client among those in the way tells nobody, so everybody has to look again. */
    @Test
    void othersWillTell_onlyIfAllOfThemAreOfThisLibrary() {
        Vote<Answer> foreign = Vote.of(new Answer.Busy(100, "some-uuid"));

        assertThat(counted(List.of(ONE, TWO, GRANTED)).willTell()).isTrue();
        assertThat(counted(List.of(ONE, foreign, GRANTED)).willTell()).isFalse();
    }

    /** A split is one while a minority is out of reach, too; with a majority out of reach it is a failure. */
    @Test
    @Faults({30, 31})
    void splitVote_withSomeOutOfReach_isContentionIfEnoughHaveAnswered() {
        assertThat(verdict(List.of(GRANTED, GRANTED, ONE, ONE, FAILED))).isEqualTo(Verdict.SPLIT);
        assertThat(verdict(List.of(GRANTED, GRANTED, ONE, FAILED, FAILED))).isEqualTo(Verdict.SPLIT);
        assertThat(verdict(List.of(GRANTED, ONE, TWO, FAILED, FAILED))).isEqualTo(Verdict.SPLIT);
        assertThat(verdict(List.of(GRANTED, ONE, FAILED, FAILED, FAILED))).isEqualTo(Verdict.FAILED);
        assertThat(verdict(List.of(GRANTED, GRANTED, FAILED, FAILED, FAILED))).isEqualTo(Verdict.FAILED);
    }

    /** A repetition may have asked for fewer than were given before: no token may lie below what any server has seen. */
    @Test
    void highestTokens_ofBlocksThatDifferInLength_areAboveTheStartOfEach() {
        List<@Nullable Vote<Answer>> votes = new ArrayList<>(
                List.of(Vote.of(new Answer.Granted(10, 10, true)), Vote.of(new Answer.Granted(18, 1, false)), FAILED));

        Answer.Granted highest = new AcquireVotes(new Quorum(3), votes).highest();

        assertThat(highest.first()).isEqualTo(18);
        assertThat(highest.last()).isEqualTo(19);
    }
}
