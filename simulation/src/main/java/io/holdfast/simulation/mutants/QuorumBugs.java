package io.holdfast.simulation.mutants;

import io.holdfast.simulation.mutants.Mutant.Edit;
import java.util.List;

/** Planted in how servers of a quorum are asked, how their votes are counted, and in what each of them does. */
final class QuorumBugs {
    private static final String R = "redis/src/main/java/io/holdfast/redis/";
    private static final String LINE = R + "NodeLine.java";
    private static final String QUORUM = R + "Quorum.java";
    private static final String REDLOCK = R + "RedlockStore.java";
    private static final String SESSION = R + "NodeSession.java";
    private static final String NAMES = R + "HolderNames.java";
    private static final String RENEW_VOTES = R + "RenewVotes.java";
    private static final String LUA = "redis/src/main/resources/io/holdfast/redis/quorum.lua";
    private static final String RENEW = "redis/src/main/resources/io/holdfast/redis/renew.lua";

    private QuorumBugs() {}

    static final List<Mutant> ALL = List.of(
            bug(
                    "half of the servers count as a majority",
                    new Edit(QUORUM, "return nodes / 2 + 1;", "return Math.max(1, nodes / 2);")),
            bug(
                    "a server that was restarted counts at once",
                    new Edit(SESSION, "if (vouched || left <= 0) {", "if (maxLease != null) {")),
            bug(
                    "the token is the highest that a server has given, and no other is told of it",
                    new Edit(
                            REDLOCK,
                            "agreed = settle(scriptKeys, holder, timeout, deadline, all, votes.highest());",
                            "agreed = votes.highest();")),
            bug(
                    "settling writes the token into the lock, and not into the counter",
                    new Edit(
                            LUA,
                            "    redis.call('SET', fence, text(last))\n    redis.call('SET', lock, mine .. ARGV[4], 'XX', 'KEEPTTL')\n",
                            "    redis.call('SET', lock, mine .. ARGV[4], 'XX', 'KEEPTTL')\n")),
            bug(
                    "a lock is taken again under the name that is being taken back",
                    new Edit(
                            NAMES,
                            "return attempt == null ? owner : owner + \"#\" + attempt.number();",
                            "return owner;")),
            bug(
                    "what falls short of a majority is not taken back",
                    new Edit(REDLOCK, "                nodes.get(i).giveUp(null, command, holder);\n", "")),
            bug(
                    "what falls short of a majority is taken back only where it was granted",
                    new Edit(
                            REDLOCK,
                            "if (vote == null || !(vote.answer() instanceof Answer.Busy)) {",
                            "if (vote != null && vote.answer() instanceof Answer.Granted) {")),
            bug(
                    "one server is enough to renew",
                    new Edit(RENEW_VOTES, "if (renewed >= quorum.majority()) {", "if (renewed >= 1) {")),
            bug(
                    "a renewal makes the lock anew where it is gone",
                    new Edit(
                            RENEW,
                            "  elseif type(value) == 'table' and holds then\n",
                            "  elseif not value then\n"
                                    + "    redis.call('SET', KEYS[i], mine .. '1', 'PX', lease)\n"
                                    + "    renewed = true\n" + "  elseif type(value) == 'table' and holds then\n")),
            bug(
                    "a caller takes the first reply for its own, whatever was sent before",
                    new Edit(LINE, "call = sent.poll();", "call = sent.pollLast();")));

    private static Mutant bug(String name, Edit... edits) {
        return Mutant.of(name, edits).on("quorum3");
    }
}
