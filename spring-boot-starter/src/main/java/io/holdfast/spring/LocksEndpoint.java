package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.spi.LockInfo;
import java.time.Duration;
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
     * @param owner who holds it; null if it is free or shared
     * @param token the holder's fencing token; null if there is none
     * @param remaining what is left of the lease
     * @param sharedBy who shares it, if it is shared
     */
    record Lock(
            String name,
            @Nullable String owner,
            @Nullable Long token,
            Duration remaining,
            List<String> waiters,
            List<String> sharedBy) {}

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
                info.owner().orElse(null),
                info.token().isPresent() ? info.token().getAsLong() : null,
                info.remaining(),
                info.waiters(),
                info.sharedBy());
    }
}
