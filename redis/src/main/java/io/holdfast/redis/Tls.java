package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

/**
 * How TLS is spoken where not as the JVM does it by itself: whom to trust, and what to show. The host's name is checked against
 * the certificate in any case. Immutable.
 */
final class Tls {
    private final SSLSocketFactory sockets;
    private final SSLParameters parameters;

    Tls(SSLContext context, SSLParameters parameters) {
        this.sockets = requireNonNull(context, "context").getSocketFactory();
        this.parameters = verifying(requireNonNull(parameters, "parameters"));
    }

    SSLSocketFactory sockets() {
        return sockets;
    }

    SSLParameters parameters() {
        return parameters;
    }

    /** What the JVM says by itself, with the host's name checked. */
    static SSLParameters ofTheJvm() {
        return verifying(new SSLParameters());
    }

    /** A copy of what connections can be told: protocols, ciphers, and what is needed to check names. */
    private static SSLParameters verifying(SSLParameters given) {
        SSLParameters own = new SSLParameters();
        if (given.getCipherSuites() != null) {
            own.setCipherSuites(given.getCipherSuites());
        }
        if (given.getProtocols() != null) {
            own.setProtocols(given.getProtocols());
        }
        own.setEndpointIdentificationAlgorithm("HTTPS");
        return own;
    }

    @Override
    public String toString() {
        return "Tls[protocols=" + Arrays.toString(parameters.getProtocols()) + "]";
    }
}
