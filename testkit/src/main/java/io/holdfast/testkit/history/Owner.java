package io.holdfast.testkit.history;

/** Who has a lock that one client has at a time, and how many times over. */
record Owner(Kind kind, Hold hold, int count) {
    enum Kind {
        /** Nobody has it. */
        FREE,
        /** The hold has it, and its client relies on that. */
        HELD,
        /** By an operation of unknown outcome: it has it, or had it and gave it up unseen. */
        MAYBE,
        /** Its client has lost it; the store may keep it a while longer. */
        LOST
    }

    private static final Hold NOBODY = new Hold("", 0);
    static final Owner FREE = new Owner(Kind.FREE, NOBODY, 0);
    static final Owner LOST = new Owner(Kind.LOST, NOBODY, 0);

    static Owner held(Hold hold, int count) {
        return count == 0 ? FREE : new Owner(Kind.HELD, hold, count);
    }

    static Owner maybe(String client, int count) {
        return count == 0 ? FREE : new Owner(Kind.MAYBE, new Hold(client, 0), count);
    }

    boolean isHeld() {
        return kind == Kind.HELD;
    }

    boolean isHeldBy(Hold other) {
        return kind == Kind.HELD && hold.equals(other);
    }

    /** A hold that came about unseen has a token that nobody has seen. */
    boolean mayBeHeldBy(Hold other) {
        return isHeldBy(other) || (kind == Kind.MAYBE && hold.client().equals(other.client()));
    }

    Owner minusOne() {
        return kind == Kind.MAYBE ? maybe(hold.client(), count - 1) : held(hold, count - 1);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case FREE -> "free";
            case HELD -> "held by " + hold + (count > 1 ? " × " + count : "");
            case MAYBE -> "perhaps held by " + hold;
            case LOST -> "lost by its holder";
        };
    }
}
