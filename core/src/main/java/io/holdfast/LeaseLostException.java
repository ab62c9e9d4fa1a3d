package io.holdfast;

import static java.util.Objects.requireNonNull;

/** The lease is no longer ours: what was done since it was last known to be valid may have to be rolled back. */
public final class LeaseLostException extends LockException {
    private static final long serialVersionUID = 1L;

    private final Loss.Cause reason;
    private final long token;

    public LeaseLostException(String lockName, long token, Loss loss) {
        super(lockName, "the lease with token " + token + " was lost: " + loss.detail());
        this.reason = requireNonNull(loss, "loss").cause();
        this.token = token;
    }

    /** Why the lease was lost. */
    public Loss.Cause reason() {
        return reason;
    }

    /** The fencing token of the lost lease. */
    public long token() {
        return token;
    }
}
