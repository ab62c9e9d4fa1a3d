package io.holdfast;

/** A write came with an older fencing token than the resource has already seen: its sender has lost the lock. */
public final class StaleTokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String resource;
    private final long token;

    public StaleTokenException(String resource, long token, long newest) {
        super("resource '" + resource + "' refuses token " + token + ": it has already seen " + newest);
        this.resource = resource;
        this.token = token;
    }

    /** The resource that refused. */
    public String resource() {
        return resource;
    }

    /** The token that was refused. */
    public long token() {
        return token;
    }
}
