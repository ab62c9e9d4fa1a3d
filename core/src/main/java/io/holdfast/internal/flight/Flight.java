package io.holdfast.internal.flight;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells the flight recorder. Costs next to nothing while no recording runs, and nothing happens at all in a runtime without the
 * module {@code jdk.jfr}: the events are behind this class, and then never loaded.
 */
public final class Flight {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    /** The open clients of this process. */
    static final Set<Client> OPEN = ConcurrentHashMap.newKeySet();

    private Flight() {}

    /** An attempt to get a lock. */
    public interface Attempt {
        /** It has the lock. */
        void got(long token, String handOver);

        /** It has ended. */
        void ends(String outcome, boolean waited);

        /** Told by the thread that has asked, whose stack is the one to look at. */
        void seen();
    }

    /** A lock that is held. */
    public interface Held {
        void ends(String how);
    }

    /** A batch of renewals. */
    public interface Renewals {
        /** One of them was sent so much later than it was due. */
        void lag(long nanos);

        void failed();

        void ends(String store, int leases);
    }

    /** One client, to be looked at from time to time. */
    public interface Client {
        String store();

        int held();

        int asking();
    }

    /** Whether anybody has used the recorder yet: to make events known to it takes longer than to take a lock. */
    private static boolean isRunning() {
        return PRESENT && Recorder.isRunning();
    }

    /** Whether a recording wants to know of attempts and of what comes of them. */
    public static boolean isOn() {
        if (!isRunning() || !Events.areWanted()) {
            return false;
        }
        Clients.watch();
        return true;
    }

    /** An attempt that begins now; null if nobody wants to know. */
    public static @Nullable Attempt attempt(String lockName) {
        return isRunning() ? Events.attempt(lockName) : null;
    }

    /** A hold that begins now; null if nobody wants to know. */
    public static @Nullable Held held(String lockName, String owner, long token) {
        return isRunning() ? Events.held(lockName, owner, token) : null;
    }

    /** A batch that is sent now; null if nobody wants to know. */
    public static @Nullable Renewals renewals() {
        return isRunning() ? Events.renewals() : null;
    }

    public static void lost(String lockName, String owner, long token, String cause, String detail) {
        if (isRunning()) {
            Events.lost(lockName, owner, token, cause, detail);
        }
    }

    public static void stalled(String lockName, String owner, long token, String detail) {
        if (isRunning()) {
            Events.stalled(lockName, owner, token, detail);
        }
    }

    /** Has a client looked at while recordings run, until it is forgotten. */
    public static void watch(Client client) {
        if (PRESENT) {
            OPEN.add(client);
        }
    }

    public static void forget(Client client) {
        if (PRESENT) {
            OPEN.remove(client);
        }
    }
}
