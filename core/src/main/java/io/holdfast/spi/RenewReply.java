package io.holdfast.spi;

/** The answer for one lease of a batch. */
public sealed interface RenewReply {

    /** The lease is still the owner's and lasts at least as long as asked. */
    record Renewed() implements RenewReply {}

    /** The lease is no longer the owner's. */
    record Gone() implements RenewReply {}

    /**
     * Nothing is known about this lease.
     *
     * @param failure why
     */
    record Failed(StoreFailure failure) implements RenewReply {}
}
