package io.holdfast.spring;

import io.holdfast.Holdfast;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * Which store: the one of {@code holdfast.uri}, or else the application's Redis.
 *
 * @param sslBundle null unless the application names one for its Redis
 */
record StoreChoice(String uri, @Nullable String sslBundle) {

    static StoreChoice of(HoldfastProperties properties, Environment environment) {
        String uri = properties.uri();
        if (uri != null && !uri.isBlank()) {
            return new StoreChoice(uri, null);
        }
        RedisAddress redis = RedisAddress.of(environment);
        return new StoreChoice(redis.uri(), redis.sslBundle());
    }

    void apply(Holdfast.Builder client, ObjectProvider<SslBundles> bundles) {
        if (sslBundle != null) {
            throw new HoldfastConfigurationException(
                    "spring.data.redis.ssl.bundle is '" + sslBundle + "', and Holdfast cannot use an SSL bundle yet",
                    "Set holdfast.uri to rediss://…, and put the certificates into the JVM's trust store.");
        }
        client.uri(uri);
    }
}
