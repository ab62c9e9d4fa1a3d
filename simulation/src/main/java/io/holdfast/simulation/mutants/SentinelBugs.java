package io.holdfast.simulation.mutants;

import io.holdfast.simulation.mutants.Mutant.Edit;
import java.util.List;

/** Planted in how the master is found by way of Sentinels. */
final class SentinelBugs {
    private static final String SOURCE = "redis/src/main/java/io/holdfast/redis/SentinelSource.java";

    private SentinelBugs() {}

    static final List<Mutant> ALL = List.of(
            bug(
                    "the master is asked for once, and not again",
                    new Edit(
                            SOURCE,
                            "    private volatile int first;\n",
                            "    private volatile int first;\n\n    private volatile @Nullable SentinelWord known;\n"),
                    new Edit(
                            SOURCE,
                            "                SentinelWord word = ask(asked, timeout);\n",
                            "                SentinelWord word = known != null ? known : ask(asked, timeout);\n"
                                    + "                known = word;\n")),
            bug(
                    "one Sentinel is asked, and no other if that does not answer",
                    new Edit(
                            SOURCE,
                            "        for (int i = 0; i < sentinels.size(); i++) {\n            int asked",
                            "        for (int i = 0; i < 1; i++) {\n            int asked")),
            bug(
                    "nobody asks the Sentinels again while a connection works",
                    new Edit(
                            SOURCE,
                            "            platform.schedule(LOOK_NANOS, this::look);\n        }\n",
                            "        }\n")),
            bug(
                    "of two Sentinels the one that spoke last is right",
                    new Edit(SOURCE, "(last != null && last.word().epoch() >= word.epoch())", "(false)")),
            bug(
                    "a Sentinel that has not heard of the new master is believed",
                    new Edit(SOURCE, "return last != null && !last.master().equals(word.master());", "return false;")));

    private static Mutant bug(String name, Edit... edits) {
        return Mutant.of(name, edits).on("sentinel");
    }
}
