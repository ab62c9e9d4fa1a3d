package io.holdfast.simulation;

/** What the clients talk to. */
public enum Topology {
    /** One Redis server. */
    SINGLE
}
