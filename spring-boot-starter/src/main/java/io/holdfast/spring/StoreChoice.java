package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.redis.RedisStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
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
            return new StoreChoice(uri, properties.ssl().bundle());
        }
        RedisAddress redis = RedisAddress.of(environment);
        String own = properties.ssl().bundle();
        return new StoreChoice(redis.uri(), own == null ? redis.sslBundle() : own);
    }

    void apply(Holdfast.Builder client, ObjectProvider<SslBundles> bundles) {
        if (sslBundle == null) {
            client.uri(uri);
            return;
        }
        SslBundle bundle = bundle(sslBundle, bundles);
        client.store(RedisStore.overTls(uri, context(sslBundle, bundle), parameters(bundle.getOptions())));
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return new RedisAddress(uri, sslBundle).toString();
    }

    private static SslBundle bundle(String name, ObjectProvider<SslBundles> bundles) {
        SslBundles all = bundles.getIfAvailable();
        try {
            if (all != null) {
                return all.getBundle(name);
            }
        } catch (NoSuchSslBundleException e) {
            throw unusable(name, "there is none of that name", e);
        }
        throw unusable(name, "this application has no SSL bundles", null);
    }

    private static SSLContext context(String name, SslBundle bundle) {
        try {
            return bundle.createSslContext();
        } catch (RuntimeException e) {
            throw unusable(name, "it cannot be read: " + e.getMessage(), e);
        }
    }

    private static HoldfastConfigurationException unusable(String name, String why, @Nullable Exception cause) {
        String message = "the connection to Redis is to use the SSL bundle '" + name + "', and " + why;
        String remedy = "Define it under spring.ssl.bundle.pem." + name + " or spring.ssl.bundle.jks." + name
                + ", or correct spring.data.redis.ssl.bundle or holdfast.ssl.bundle.";
        return cause == null
                ? new HoldfastConfigurationException(message, remedy)
                : new HoldfastConfigurationException(message, remedy, cause);
    }

    private static SSLParameters parameters(SslOptions options) {
        SSLParameters parameters = new SSLParameters();
        if (options.getCiphers() != null) {
            parameters.setCipherSuites(options.getCiphers());
        }
        if (options.getEnabledProtocols() != null) {
            parameters.setProtocols(options.getEnabledProtocols());
        }
        return parameters;
    }
}
