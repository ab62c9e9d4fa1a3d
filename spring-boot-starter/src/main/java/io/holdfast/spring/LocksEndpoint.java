package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.spi.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** {@code /actuator/locks}: who holds and who waits, as the store sees it. Changes nothing. */
@Endpoint(id = "locks")
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
     */
    record Party(
            String owner,
            @Nullable Long token,
            @Nullable Instant since,
            @Nullable Duration age) {}

    /** All, or those whose name matches; {@code *} stands for any characters. */
    @ReadOperation
    public Locks locks(@Nullable String pattern) {
        return read(pattern == null ? "*" : pattern);
    }

    /** The lock of that name. */
    @ReadOperation
    public Locks lock(@Selector String name) {
        return read(name);
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
                party.age().orElse(null));
    }
}
