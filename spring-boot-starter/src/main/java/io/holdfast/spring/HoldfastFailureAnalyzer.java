package io.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells in Spring's own form why the application does not start, and what to do. */
final class HoldfastFailureAnalyzer extends AbstractFailureAnalyzer<IllegalStateException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, IllegalStateException cause) {
        // Others may stand between the first IllegalStateException and ours.
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof StoreNotReachableException) {
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

    private static String sentence(Throwable of) {
        String text = String.valueOf(of.getMessage());
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
