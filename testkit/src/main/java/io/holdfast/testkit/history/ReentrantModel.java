package io.holdfast.testkit.history;

import java.util.List;

/**
 * One holder at a time, who may take the lock again and gives it back as often; if there are tokens, each re-entry has
 * that of the hold. Leases are judged as in {@link MutexModel}; a loss ends the hold with all its re-entries.
 */
public final class ReentrantModel implements Model<Owner> {

    @Override
    public Owner initial() {
        return Owner.FREE;
    }

    @Override
    public List<Owner> step(Owner owner, Operation operation) {
        Hold hold = operation.hold();
        return switch (operation.outcome()) {
            case GRANTED -> granted(owner, hold);
            case REFUSED -> refused(owner, operation);
            case TIMED_OUT -> List.of(owner);
            case DONE -> done(owner, operation);
            case NOT_HELD -> owner.isHeldBy(hold) ? List.of() : List.of(owner);
            case LOST -> List.of(owner.isHeldBy(hold) ? Owner.LOST : owner);
            case UNKNOWN -> unknown(owner, operation);
        };
    }

    private static List<Owner> granted(Owner owner, Hold hold) {
        Owner first = Owner.held(hold, 1);
        Owner again = Owner.held(hold, owner.count() + 1);
        if (owner.isHeld()) {
            return owner.isHeldBy(hold) ? List.of(again) : List.of();
        }
        return owner.mayBeHeldBy(hold) ? List.of(first, again) : List.of(first);
    }

    private static List<Owner> refused(Owner owner, Operation operation) {
        boolean own = owner.isHeld() && owner.hold().client().equals(operation.client());
        return own || owner.equals(Owner.FREE) ? List.of() : List.of(owner);
    }

    private static List<Owner> done(Owner owner, Operation operation) {
        if (!owner.mayBeHeldBy(operation.hold())) {
            return List.of();
        }
        boolean releases = operation.action() == Operation.Action.RELEASE;
        return List.of(releases ? owner.minusOne() : Owner.held(operation.hold(), owner.count()));
    }

    private static List<Owner> unknown(Owner owner, Operation operation) {
        boolean own = owner.hold().client().equals(operation.client());
        return switch (operation.action()) {
            case ACQUIRE, TRY_ACQUIRE -> acquiredUnseen(owner, operation.client(), own);
            case RELEASE -> releasedUnseen(owner, operation.hold());
            case LOSE, RENEW -> owner.isHeldBy(operation.hold()) ? List.of(Owner.LOST) : List.of();
        };
    }

    private static List<Owner> releasedUnseen(Owner owner, Hold hold) {
        if (!owner.isHeldBy(hold)) {
            return List.of();
        }
        return List.of(owner.count() == 1 ? Owner.LOST : owner.minusOne());
    }

    private static List<Owner> acquiredUnseen(Owner owner, String client, boolean own) {
        if (owner.isHeld()) {
            return own ? List.of(Owner.held(owner.hold(), owner.count() + 1)) : List.of();
        }
        return List.of(Owner.maybe(client, own ? owner.count() + 1 : 1));
    }
}
