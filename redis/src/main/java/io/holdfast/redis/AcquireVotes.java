package io.holdfast.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the answers of some servers to an acquire add up to. Nothing but counting: it knows no time and no connection.
 *
 * <p>The lock is granted if a majority of all servers has granted it. It is not to be had because of others if a majority
 * would have granted it without them: those who did, and those who say that another is in the way. So a split between
 * contenders is contention also while a minority is out of reach. Whatever is left is a failure, and told as one: too few
 * servers have said anything. A verdict that is reached while answers are still to come is the one that all answers would
 * give.
 */
final class AcquireVotes {

    /** One server's answer. */
    sealed interface Answer {
        /**
         * The server has set its key.
         *
         * @param first the first token
         * @param count how many there are
         * @param before whether the key was there before: the request is a repetition
         */
        record Granted(long first, int count, boolean before) implements Answer {
            long last() {
                return first + count - 1;
            }

            boolean hasTokensOf(Granted other) {
                return first == other.first && count == other.count;
            }

            /** As they stand in the lock. */
            String tokens() {
                return count == 1 ? Long.toString(first) : first + "+" + (count - 1);
            }
        }

        /**
         * The key is another's.
         *
         * @param leftMillis how long that one has it, unless it is renewed
         * @param holder who
         */
        record Busy(long leftMillis, String holder) implements Answer {}
    }

    enum Verdict {
        /** More answers are needed, and are to come. */
        OPEN,
        /** A majority has granted it. */
        GRANTED,
        /** One other has it on a majority. */
        HELD,
        /** Others are in the way, and none of them is known to have a majority. */
        SPLIT,
        /** Neither: too many servers failed. */
        FAILED
    }

    private final Quorum quorum;
    private final List<@Nullable Vote<Answer>> votes;
    private final Map<String, Integer> others = new HashMap<>();
    private int granted;
    private int busy;
    private int open;

    /** @param votes one for each server; null where there is none yet */
    AcquireVotes(Quorum quorum, List<@Nullable Vote<Answer>> votes) {
        this.quorum = quorum;
        this.votes = votes;
        for (Vote<Answer> vote : votes) {
            if (vote == null) {
                open++;
            } else if (vote.answer() instanceof Answer.Busy taken) {
                busy++;
                others.merge(taken.holder(), 1, Integer::sum);
            } else if (vote.answer() != null) {
                granted++;
            }
        }
    }

    int granted() {
        return granted;
    }

    Verdict verdict() {
        if (granted >= quorum.majority()) {
            return Verdict.GRANTED;
        }
        int most = others.values().stream().mapToInt(count -> count).max().orElse(0);
        if (most >= quorum.majority()) {
            return Verdict.HELD;
        }
        if (granted + open >= quorum.majority() || most + open >= quorum.majority()) {
            return Verdict.OPEN;
        }
        if (areOthersInTheWay(0)) {
            return Verdict.SPLIT;
        }
        return areOthersInTheWay(open) ? Verdict.OPEN : Verdict.FAILED;
    }

    /** Whether the others alone keep a majority from us, or we would have one without them. */
    private boolean areOthersInTheWay(int more) {
        return busy + more >= quorum.blocking() || granted + busy + more >= quorum.majority();
    }

    /** Whether somebody else was at it at the same time, and nobody is known to have got it: another try may do better. */
    boolean isContended() {
        return granted > 0 && verdict() == Verdict.SPLIT;
    }

    /** The tokens that a majority of all servers has, the same on each; null if there are none such. */
    Answer.@Nullable Granted agreed() {
        for (Vote<Answer> vote : votes) {
            if (vote != null && vote.answer() instanceof Answer.Granted one) {
                int same = 0;
                for (Vote<Answer> other : votes) {
                    boolean alike =
                            other != null && other.answer() instanceof Answer.Granted theirs && theirs.hasTokensOf(one);
                    same += alike ? 1 : 0;
                }
                if (same >= quorum.majority()) {
                    return one;
                }
            }
        }
        return null;
    }

    /** The highest tokens that a server has given, and of these only such as are above what any of them has seen before. */
    Answer.Granted highest() {
        Answer.Granted highest = null;
        long first = 0;
        for (Vote<Answer> vote : votes) {
            if (vote != null && vote.answer() instanceof Answer.Granted one) {
                highest = highest == null || one.last() > highest.last() ? one : highest;
                first = Math.max(first, one.first());
            }
        }
        if (highest == null) {
            throw new IllegalStateException("no server has granted it");
        }
        // A repetition may have asked for fewer tokens than were given before: what a short block follows on another
        // server may lie within the long one.
        return new Answer.Granted(first, (int) (highest.last() - first + 1), highest.before());
    }

    /** Whether a server had the key before: then an earlier answer may have told the tokens. */
    boolean isRepetition() {
        return votes.stream()
                .anyMatch(vote -> vote != null && vote.answer() instanceof Answer.Granted one && one.before());
    }

    /** In how many milliseconds enough others will have let go, if none of them renews. */
    long leftMillis() {
        int needed = quorum.majority() - granted;
        return votes.stream()
                .filter(vote -> vote != null && vote.answer() instanceof Answer.Busy)
                .mapToLong(vote -> vote != null && vote.answer() instanceof Answer.Busy taken ? taken.leftMillis() : 0)
                .sorted()
                .skip(Math.max(0, Math.min(needed, busy) - 1))
                .findFirst()
                .orElse(0);
    }

    /** Whether those in the way are of this library, and will tell when they let go. */
    boolean willTell() {
        return others.keySet().stream().allMatch(holder -> holder.startsWith("hf1:"));
    }
}
