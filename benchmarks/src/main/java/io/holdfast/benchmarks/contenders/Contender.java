package io.holdfast.benchmarks.contenders;

/** One kind of lock, used as its authors recommend. */
public interface Contender {
    /** Short, as in tables. */
    String name();

    /** Version and configuration, in one line. */
    String description();

    /** Connects; the session is used by many threads. */
    Session open(String host, int port);

    /** Whom the locks of this contender keep out. */
    default Reach reach() {
        return Reach.JVMS;
    }

    /** Whom a lock keeps out. */
    enum Reach {
        /** Nobody: it only shows what the wire costs. */
        NONE,
        /** The other threads of this JVM. */
        THREADS,
        /** The threads of all JVMs. */
        JVMS
    }
}
