package io.holdfast.spi;

import java.util.Set;

/** Finds stores by URI scheme, as JDBC drivers are found: registered with {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /** The schemes this provider knows, in lower case. */
    Set<String> schemes();

    /**
     * Understands the URI.
     *
     * @throws IllegalArgumentException with the masked URI, if it is malformed
     */
    StoreFactory factory(StoreUri uri);
}
