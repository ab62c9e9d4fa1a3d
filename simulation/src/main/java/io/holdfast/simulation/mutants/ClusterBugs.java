package io.holdfast.simulation.mutants;

import io.holdfast.simulation.mutants.Mutant.Edit;
import java.util.List;

/** Planted in how the node of a slot is found, and in what is done while slots move. */
final class ClusterBugs {
    private static final String CLUSTER = "redis/src/main/java/io/holdfast/redis/Cluster.java";
    private static final String STORE = "redis/src/main/java/io/holdfast/redis/ClusterStore.java";
    private static final String ASKING = "redis/src/main/java/io/holdfast/redis/AskingLink.java";
    private static final String KEYS = "redis/src/main/java/io/holdfast/redis/Keys.java";

    private ClusterBugs() {}

    static final List<Mutant> ALL = List.of(
            bug(
                    "a slot that has moved is followed, and the map stays as it was",
                    new Edit(
                            CLUSTER,
                            "        refresh(timeout);\n        // It knows better",
                            "        // It knows better"),
                    new Edit(CLUSTER, "        masters.set(redirect.slot(), redirect.to());\n", "")),
            bug(
                    "a node that does not answer keeps its slots",
                    new Edit(CLUSTER, "if (at == null || node(at).isSuspect()) {", "if (at == null) {")),
            bug(
                    "ASK is followed without ASKING",
                    new Edit(
                            ASKING,
                            "        connection.sendCommand(() -> \"ASKING\".getBytes(US_ASCII));\n"
                                    + "        connection.getOne();\n        connection.sendCommand(command, args);\n",
                            "        connection.sendCommand(command, args);\n")),
            bug(
                    "nothing is renewed while its slot moves",
                    new Edit(
                            STORE,
                            "            if ((redirect != null && redirect.once()) || isOnTheMove(e)) {\n",
                            "            if (false) {\n")),
            bug(
                    "a renewal that an old master sends elsewhere counts as done",
                    new Edit(
                            STORE,
                            "                    again.addAll(ofSlot);\n",
                            "                    ofSlot.forEach(i -> replies[i] = new RenewReply.Renewed());\n")),
            bug(
                    "a renewal that a moving slot puts off counts as done",
                    new Edit(
                            STORE,
                            "                ofSlot.forEach(i -> replies[i] = renewAlone(node, items.get(i)));\n",
                            "                ofSlot.forEach(i -> replies[i] = new RenewReply.Renewed());\n")),
            bug(
                    "a release that is said again goes to where the lock was",
                    new Edit(STORE, "        cluster.unanswered().routedBy(this::release);\n", "")),
            bug(
                    "the counter of tokens is in another slot than the lock",
                    new Edit(
                            KEYS,
                            "return fence() + \":{\" + Slots.tag(slot) + \"}\";",
                            "return fence() + \":{\" + slot + \"}\";")),
            bug(
                    "the queue of a lock is in another slot than the lock",
                    new Edit(KEYS, "\":{\" + prefix + name + \"}\"", "\":{\" + name + \"}\"")));

    private static Mutant bug(String name, Edit... edits) {
        return Mutant.of(name, edits).on("cluster");
    }
}
