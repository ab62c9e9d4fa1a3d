package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.RenewVotes.Verdict;
import io.holdfast.spi.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every combination of answers to a renewal, for three, four and five servers. */
class RenewVotesTest {
    private static final Vote<int[]> GONE = Vote.of(new int[] {Renewals.GONE});
    private static final Vote<int[]> RENEWED = Vote.of(new int[] {Renewals.RENEWED});
    private static final Vote<int[]> FAILED = Vote.failed(StoreFailure.unavailable("gone", null));

    private static Stream<List<@Nullable Vote<int[]>>> combinations(int nodes) {
        if (nodes == 0) {
            return Stream.of(new ArrayList<@Nullable Vote<int[]>>());
        }
        return combinations(nodes - 1)
                .flatMap(fewer -> Stream.of(0, 1, 2, 3).map(kind -> {
                    List<@Nullable Vote<int[]>> votes = new ArrayList<>(fewer);
                    votes.add(
                            switch (kind) {
                                case 0 -> GONE;
                                case 1 -> RENEWED;
                                case 2 -> FAILED;
                                default -> null;
                            });
                    return votes;
                }));
    }

    private static long count(List<@Nullable Vote<int[]>> votes, Vote<int[]> kind) {
        return votes.stream().filter(kind::equals).count();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void verdict_ofEveryCombination_needsAMajority(int nodes) {
        int majority = nodes / 2 + 1;
        combinations(nodes).forEach(votes -> {
            long renewed = count(votes, RENEWED);
            Verdict expected = renewed >= majority
                    ? Verdict.RENEWED
                    : nodes - count(votes, GONE) < majority ? Verdict.GONE : Verdict.OPEN;

            assertThat(RenewVotes.verdict(new Quorum(nodes), 0, votes))
                    .as("%s", votes)
                    .isEqualTo(expected);
        });
    }

    @Test
    void leasesOfABatch_areDecidedEachAlone() {
        List<@Nullable Vote<int[]>> votes = new ArrayList<>(
                List.of(Vote.of(new int[] {1, 0}), Vote.of(new int[] {1, 0}), Vote.of(new int[] {0, 1})));
        Quorum three = new Quorum(3);

        assertThat(RenewVotes.verdict(three, 0, votes)).isEqualTo(Verdict.RENEWED);
        assertThat(RenewVotes.verdict(three, 1, votes)).isEqualTo(Verdict.GONE);
        assertThat(RenewVotes.areDecided(three, 2, votes)).isTrue();
        votes.set(0, null);
        assertThat(RenewVotes.areDecided(three, 2, votes)).isFalse();
    }
}
