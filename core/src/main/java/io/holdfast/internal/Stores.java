package io.holdfast.internal;

import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds a store by the scheme of its URI. */
public final class Stores {
    private Stores() {}

    public static StoreFactory find(String text) {
        StoreUri uri = new StoreUri(text);
        TreeSet<String> known = new TreeSet<>();
        // The library's own loader comes second: in a container the caller's may not see the backends.
        for (ClassLoader loader :
                new ClassLoader[] {Thread.currentThread().getContextClassLoader(), Stores.class.getClassLoader()}) {
            for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
                if (provider.schemes().contains(uri.scheme())) {
                    return provider.factory(uri);
                }
                known.addAll(provider.schemes());
            }
        }
        throw new IllegalArgumentException("no store for '" + uri + "': the class path has stores for " + known
                + "; is a module such as holdfast-redis missing?");
    }
}
