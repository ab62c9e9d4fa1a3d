package io.holdfast.benchmarks.contenders;

import java.util.List;
import java.util.Set;

/** One kind of lock, used as its authors recommend. */
public interface Contender {
    /** Short, as in tables. */
    String name();

    /** Version and configuration, in one line. */
    String description();

    /** Connects; the session is used by many threads. */
    Session open(String host, int port);

    /** Connects to all servers there are: one, or those of a quorum. */
    default Session openAll(String host, List<Integer> ports) {
        return open(host, ports.get(0));
    }

    /** As {@link #open}, with as few connections and threads as it can do with: a thousand of them fit into one JVM. */
    default Session openSmall(String host, int port) {
        return open(host, port);
    }

    /** As what it may be measured. */
    default Set<Primitive> primitives() {
        return Set.of(Primitive.LOCK);
    }

    /** Whom the locks of this contender keep out. */
    default Reach reach() {
        return Reach.JVMS;
    }

    /** Where its locks live. */
    default Home home() {
        return Home.REDIS;
    }

    /** What an application depends on to use it, as {@code group:artifact}; empty for what is no library. */
    default List<String> artifacts() {
        return List.of();
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

    /** Where locks live. */
    enum Home {
        /** In the Redis server of the run. */
        REDIS,
        /** In five Redis servers of which none knows the others. */
        QUORUM,
        /** In a ZooKeeper within the JVM of the run. */
        ZOOKEEPER,
        /** In this JVM alone. */
        HERE
    }
}
