package io.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells in Spring's own form why the application does not start, and what to do. */
final class HoldfastFailureAnalyzer extends AbstractFailureAnalyzer<IllegalStateException> {
    private static final String TLS_REMEDY =
            "The server was reached, but its certificate was refused. If nobody who is trusted"
                    + " has signed it, name an SSL bundle in spring.data.redis.ssl.bundle (or holdfast.ssl.bundle) whose trusted"
                    + " certificates include the authority of the server. If it is for another host, use a name that the certificate"
                    + " has.";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, IllegalStateException cause) {
        // Others may stand between the first IllegalStateException and ours.
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof StoreNotReachableException) {
                if (speaksOfCertificates(at)) {
                    return new FailureAnalysis(sentence(at), TLS_REMEDY, at);
                }
                return new FailureAnalysis(
                        sentence(at),
                        "Start the server, or point spring.data.redis.* or holdfast.uri at one that runs and that this"
                                + " application may use. To start without it, set holdfast.startup-check=warn: locks then"
                                + " fail until it answers.",
                        at);
            }
            if (at instanceof HoldfastConfigurationException configuration) {
                return new FailureAnalysis(sentence(at), configuration.remedy(), at);
            }
        }
        return null;
    }

    /** As the JDK words it when a certificate is not trusted, or is for another host. */
    private static boolean speaksOfCertificates(Throwable of) {
        String text = String.valueOf(of.getMessage());
        return text.contains("certification path")
                || text.contains("No subject alternative")
                || text.contains("No name matching");
    }

    private static String sentence(Throwable of) {
        String text = String.valueOf(of.getMessage());
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
