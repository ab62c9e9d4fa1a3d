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
                            "    private volatile int first;\n\n    private volatile @Nullable HostAndPort known;\n"),
                    new Edit(
                            SOURCE,
                            "                HostAndPort named = askForMaster(sentinel, timeout);\n",
                            "                HostAndPort named = known != null ? known : askForMaster(sentinel, timeout);\n"
                                    + "                known = named;\n")),
            bug(
                    "one Sentinel is asked, and no other if that does not answer",
                    new Edit(
                            SOURCE,
                            "        for (int i = 0; i < sentinels.size(); i++) {\n            int asked",
                            "        for (int i = 0; i < 1; i++) {\n            int asked")),
            bug(
                    "the news of another master is not heard",
                    new Edit(
                            SOURCE,
                            "                masterIs(new HostAndPort(words[3], Integer.parseInt(words[4])));\n",
                            "")),
            bug(
                    "the news of another master is taken for that of the old one",
                    new Edit(
                            SOURCE,
                            "masterIs(new HostAndPort(words[3], Integer.parseInt(words[4])))",
                            "masterIs(new HostAndPort(words[1], Integer.parseInt(words[2])))")),
            bug(
                    "a Sentinel that has not heard of the new master is believed",
                    new Edit(SOURCE, "return last != null && !last.master().equals(master);", "return false;")),
            bug(
                    "a new master that cannot be reached yet is given up for the old one",
                    new Edit(SOURCE, "if (search.isOutOfReach(told)) {", "if (false) {")));

    private static Mutant bug(String name, Edit... edits) {
        return Mutant.of(name, edits).on("sentinel");
    }
}
