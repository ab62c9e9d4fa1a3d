package io.holdfast.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the answers of some servers to a batch of renewals add up to, for each lease alone. Nothing but counting. */
final class RenewVotes {

    enum Verdict {
        /** Neither a majority has renewed it, nor have so many lost it that none can. */
        OPEN,
        RENEWED,
        /** So many have lost it that the rest is no majority. */
        GONE
    }

    private RenewVotes() {}

    static boolean areDecided(Quorum quorum, int size, List<@Nullable Vote<int[]>> votes) {
        for (int i = 0; i < size; i++) {
            if (verdict(quorum, i, votes) == Verdict.OPEN) {
                return false;
            }
        }
        return true;
    }

    static Verdict verdict(Quorum quorum, int item, List<@Nullable Vote<int[]>> votes) {
        int renewed = 0;
        int gone = 0;
        for (Vote<int[]> vote : votes) {
            int[] codes = vote == null ? null : vote.answer();
            if (codes != null) {
                renewed += codes[item] == Renewals.RENEWED ? 1 : 0;
                gone += codes[item] == Renewals.RENEWED ? 0 : 1;
            }
        }
        if (renewed >= quorum.majority()) {
            return Verdict.RENEWED;
        }
        return gone >= quorum.blocking() ? Verdict.GONE : Verdict.OPEN;
    }
}
