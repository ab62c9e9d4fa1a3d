package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the answers of some servers to a batch of renewals add up to, for each lease alone. Nothing but counting. */
final class RenewVotes {
    private static final long GONE = 0;
    private static final long RENEWED_AND_WAITED = 2;

    enum Verdict {
        /** Neither a majority has renewed it, nor have so many lost it that none can. */
        OPEN,
        RENEWED,
        /** Renewed, and a server says that somebody waits. */
        RENEWED_AND_WAITED,
        /** So many have lost it that the rest is no majority. */
        GONE
    }

    private RenewVotes() {}

    /** The answers for each lease. */
    static List<Long> codes(Reply reply, int size) {
        List<Long> codes = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            long code = reply.part(i).count();
            if (code > RENEWED_AND_WAITED) {
                throw reply.nonsense();
            }
            codes.add(code);
        }
        return codes;
    }

    static boolean areDecided(Quorum quorum, int size, List<@Nullable Vote<List<Long>>> votes) {
        for (int i = 0; i < size; i++) {
            if (verdict(quorum, i, votes) == Verdict.OPEN) {
                return false;
            }
        }
        return true;
    }

    static Verdict verdict(Quorum quorum, int item, List<@Nullable Vote<List<Long>>> votes) {
        int renewed = 0;
        int gone = 0;
        boolean waited = false;
        for (Vote<List<Long>> vote : votes) {
            List<Long> codes = vote == null ? null : vote.answer();
            if (codes != null) {
                long code = codes.get(item);
                renewed += code == GONE ? 0 : 1;
                gone += code == GONE ? 1 : 0;
                waited |= code == RENEWED_AND_WAITED;
            }
        }
        if (renewed >= quorum.majority()) {
            return waited ? Verdict.RENEWED_AND_WAITED : Verdict.RENEWED;
        }
        return gone >= quorum.blocking() ? Verdict.GONE : Verdict.OPEN;
    }
}
