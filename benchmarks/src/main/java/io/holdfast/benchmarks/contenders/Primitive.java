package io.holdfast.benchmarks.contenders;

/** What a library offers under one name, and who may be in at once. Only the like are measured side by side. */
public enum Primitive {
    /** One at a time. */
    LOCK("lock", ""),
    /** One at a time, every thread of every JVM in the order of coming. */
    FAIR("fair lock", "i-fair"),
    /** The side of a read-write lock that all may have at once. */
    READ("read lock", "j-read"),
    /** The side of a read-write lock that one may have. */
    WRITE("write lock", "j-write"),
    /** One permit of a semaphore. */
    PERMIT("permit", "k-permit"),
    /** One at a time, held on a majority of five independent servers. */
    QUORUM("quorum lock", "l-quorum");

    private final String text;
    private final String id;

    Primitive(String text, String id) {
        this.text = text;
        this.id = id;
    }

    /** One or two words for people. */
    public String text() {
        return text;
    }

    /** What the titles of its workloads start with. */
    public String prefix() {
        return this == LOCK ? "" : text + ", ";
    }

    /** What the names of its workloads start with; those of {@link #LOCK} have names of their own. */
    public String id() {
        return id;
    }
}
