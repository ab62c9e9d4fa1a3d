package io.holdfast.testkit.history;

import java.util.List;

/**
 * One holder at a time, not re-entrant; with leases.
 *
 * <p>How leases are judged. A client relies on its hold from the return of its acquire until it calls release, or for as
 * long as it is told that the hold is still valid; during that time nobody else may be let in. When a lease runs out,
 * nobody sees the moment: the client only learns later that it is over. So the end of such a hold is an operation like any
 * other ({@link Operation.Outcome#LOST}) that takes effect at one moment between two that are known: the last at which the
 * client knew that it had the lock (its acquire, or a renewal that was confirmed), and the one at which it learnt of the
 * loss. Another client may be granted the lock after that moment and not before. Two clients that are both told, one
 * after the other, that they hold the lock, with no loss, release or crash in between, find no such moment: rejected.
 * A client that checks its lease often thereby narrows the gap that is forgiven.
 *
 * <p>A client that crashed learns nothing: its loss is left open, since the last moment at which it knew that it had the lock
 * ({@link History#crashed}). A release of unknown outcome is open too: its client relies on nothing any more, and whether
 * the release or the expiry of the lease ends the hold is the same to all others. After a renewal of unknown outcome the
 * hold may be lost, unless its client learns better. An acquire of unknown outcome may leave a hold that nobody relies on: it can be the reason of a refusal,
 * can end unseen at any moment, and keeps nobody out.
 *
 * <p>After such an end the store may still count the lease for a while, so a refusal is right until the next grant, and so is
 * the grant.
 */
public final class MutexModel implements Model<Owner> {

    @Override
    public Owner initial() {
        return Owner.FREE;
    }

    @Override
    public List<Owner> step(Owner owner, Operation operation) {
        return switch (operation.outcome()) {
            case GRANTED -> owner.isHeld() ? List.of() : List.of(Owner.held(operation.hold(), 1));
            case REFUSED -> owner.equals(Owner.FREE) ? List.of() : List.of(owner);
            case TIMED_OUT -> List.of(owner);
            case DONE -> done(owner, operation);
            case NOT_HELD -> owner.isHeldBy(operation.hold()) ? List.of() : List.of(owner);
            case LOST -> List.of(owner.isHeldBy(operation.hold()) ? Owner.LOST : owner);
            case UNKNOWN -> unknown(owner, operation);
        };
    }

    private static List<Owner> done(Owner owner, Operation operation) {
        if (!owner.mayBeHeldBy(operation.hold())) {
            return List.of();
        }
        return List.of(operation.action() == Operation.Action.RELEASE ? Owner.FREE : Owner.held(operation.hold(), 1));
    }

    private static List<Owner> unknown(Owner owner, Operation operation) {
        if (operation.action().acquires()) {
            return owner.isHeld() ? List.of() : List.of(Owner.maybe(operation.client(), 1));
        }
        return owner.isHeldBy(operation.hold()) ? List.of(Owner.LOST) : List.of();
    }
}
