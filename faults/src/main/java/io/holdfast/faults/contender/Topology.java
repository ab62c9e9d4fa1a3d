package io.holdfast.faults.contender;

import java.util.Locale;

/** How the servers stand to each other. */
public enum Topology {
    SINGLE("one server, with an append-only file"),
    SENTINEL("a master, two replicas, three Sentinels"),
    CLUSTER("three masters with a replica each"),
    QUORUM("five independent masters");

    private final String text;

    Topology(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
