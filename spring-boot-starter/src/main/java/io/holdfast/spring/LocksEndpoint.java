package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@code /actuator/locks}: who holds and who waits, as the store sees it; and, only if the application opens it with
 * {@code management.endpoint.locks.access=unrestricted}, a way to release a lock by force.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {
    private final Holdfast locks;

    LocksEndpoint(Holdfast locks) {
        this.locks = locks;
    }

    /**
     * All locks.
     *
     * @param store where they are, without secrets
     */
    record Locks(String store, List<Lock> locks) {}

    /**
     * One lock.
     *
     * @param remaining what is left of the lease; of the last, if it is shared
     * @param holders who holds it; several if it is shared, none if it is free
     * @param waiters who waits for it, first come first
     */
    record Lock(String name, Duration remaining, List<Party> holders, List<Party> waiters) {}

    /**
     * One that holds or waits.
     *
     * @param owner its owner id, or what another client has put there
     * @param token its fencing token; null if it waits, or there is none
     * @param since when it got the lock, or its place in line, by the store's clock; null if the store does not tell
     * @param age how long that was ago
     * @param host where it runs, as its client has said, with the two below; null if the store does not know
     * @param thread the number of the thread that asked; null if it is no client of this library
     */
    record Party(
            String owner,
            @Nullable Long token,
            @Nullable Instant since,
            @Nullable Duration age,
            @Nullable String host,
            @Nullable Long processId,
            @Nullable String application,
            @Nullable Long thread) {}

    /**
     * What came of a release by force.
     *
     * @param released false if that owner does not hold it; then nothing is changed
     */
    record Released(String name, String owner, boolean released) {}

    /** All, or those whose name matches; {@code *} stands for any characters. */
    @ReadOperation
    // The longer one for Boot 3, which does not know the other, and would refuse a request that leaves it out.
    public Locks locks(@org.springframework.lang.Nullable @Nullable String pattern) {
        return read(pattern == null ? "*" : pattern);
    }

    /** The lock of that name. */
    @ReadOperation
    public Locks lock(@Selector String name) {
        return read(name);
    }

    /**
     * Takes the lock of that name from its holder.
     *
     * @param owner the holder's owner id, as it is listed, so that nobody else loses the lock
     */
    @DeleteOperation
    public Released release(@Selector String name, String owner) {
        return new Released(name, owner, locks.forceRelease(name, owner));
    }

    private Locks read(String pattern) {
        return new Locks(
                locks.store(),
                locks.inspect(pattern).stream().map(LocksEndpoint::describe).toList());
    }

    private static Lock describe(LockInfo info) {
        return new Lock(
                info.name(),
                info.remaining(),
                info.holders().stream().map(LocksEndpoint::describe).toList(),
                info.line().stream().map(LocksEndpoint::describe).toList());
    }

    private static Party describe(LockInfo.Party party) {
        return new Party(
                party.owner(),
                party.token().isPresent() ? party.token().getAsLong() : null,
                party.since().orElse(null),
                party.age().orElse(null),
                party.origin().map(Origin::host).orElse(null),
                party.origin().map(Origin::processId).orElse(null),
                party.origin().map(Origin::application).orElse(null),
                party.thread().isPresent() ? party.thread().getAsLong() : null);
    }
}
