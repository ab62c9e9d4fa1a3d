package io.holdfast.spring;

import java.util.List;

/** The store did not answer when the application started. */
final class StoreNotReachableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StoreNotReachableException(String store, List<String> reasons) {
        super("the lock store " + store + " does not answer: " + String.join("; ", reasons));
    }
}
