package io.holdfast.simulation.load;

/** What can befall a run. */
public enum Fault {
    CLIENT_PAUSE(Kind.CLIENT),
    CLIENT_PAUSE_AMID_REQUEST(Kind.CLIENT),
    CLIENT_SUSPEND(Kind.CLIENT),
    RENEWAL_STALL(Kind.CLIENT),
    WALL_JUMP(Kind.CLIENT),
    SERVER_CLOCK_FORWARD(Kind.SERVER),
    SERVER_CLOCK_BACK(Kind.SERVER),
    MESSAGE_LOSS(Kind.NETWORK),
    SLOW_NETWORK(Kind.NETWORK),
    SLOW_THEN_PARTITION(Kind.NETWORK),
    CONNECTIONS_BREAK_HERE(Kind.NETWORK),
    DUPLICATES(Kind.NETWORK),
    PARTITION(Kind.NETWORK),
    ONE_WAY_PARTITION(Kind.NETWORK),
    CONNECTIONS_RESET(Kind.NETWORK),
    ACCESS_REVOKED(Kind.SERVER),
    SERVER_ERRORS(Kind.SERVER),
    OUT_OF_MEMORY(Kind.SERVER),
    SERVER_RESTART(Kind.SERVER),
    SERVER_RESTART_EMPTY(Kind.SERVER),
    SERVER_RESTART_OLD(Kind.SERVER),
    SERVER_SLEEP(Kind.SERVER),
    FLUSHALL(Kind.SERVER),
    DELETED_BY_HAND(Kind.SERVER),
    EVICTION(Kind.SERVER),
    SCRIPT_FLUSH(Kind.SERVER),
    FOREIGN_VALUE(Kind.SERVER),
    KEY_WITHOUT_EXPIRY(Kind.SERVER),
    HIGH_COUNTER(Kind.SERVER),
    INTERRUPT(Kind.CLIENT),
    INTERRUPT_AT_PARK(Kind.CLIENT),
    CLOSE(Kind.CLIENT),
    CLIENT_CRASH(Kind.CLIENT),
    THREAD_DIES(Kind.CLIENT),
    FAILOVER(Kind.SERVER),
    SLOT_MOVES(Kind.SERVER),
    FORCED_RELEASE(Kind.OPERATOR);

    enum Kind {
        CLIENT,
        NETWORK,
        SERVER,
        OPERATOR
    }

    private final Kind kind;

    Fault(Kind kind) {
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }
}
