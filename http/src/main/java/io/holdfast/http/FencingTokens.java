package io.holdfast.http;

import static java.util.Objects.requireNonNull;

import io.holdfast.Lease;
import java.net.http.HttpRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The fencing tokens that a request carries, one for each resource, and their header:
 *
 * <pre>
 * Holdfast-Fencing-Token: stock:apples=1763254800000000, order:42=1763254800000003
 * </pre>
 *
 * <p>A resource is written in UTF-8; every byte that is not a letter, a digit or one of {@code - . _ ~ : /} is written as
 * {@code %} and two hexadecimal digits. So no resource can break out of its header. A token is a decimal number from 0 to
 * 2^63 - 1. Several stand behind each other with commas, or in several lines, 32 at most; no resource comes twice.
 *
 * <p>The header is a promise of the sender. Whoever may send it can send a token that is too high and lock out all others,
 * so take it only from those who may use the lock as well: strip it at the edge, as other internal headers.
 *
 * <p>Immutable.
 */
public final class FencingTokens {
    /** The name of the header. */
    public static final String HEADER = "Holdfast-Fencing-Token";

    private final Map<String, Long> tokens;

    FencingTokens(Map<String, Long> tokens) {
        this.tokens = Collections.unmodifiableMap(tokens);
    }

    /** No tokens. */
    public static FencingTokens none() {
        return new FencingTokens(Map.of());
    }

    /** One token. */
    public static FencingTokens of(String resource, long token) {
        return none().and(resource, token);
    }

    /**
     * The token of a lease; its lock's name is the resource.
     *
     * @throws UnsupportedOperationException if it is a lease of several locks, each of which has a token
     */
    public static FencingTokens of(Lease lease) {
        return of(lease.lockName(), lease.token());
    }

    /**
     * What the lines of a header say; none if there is no line.
     *
     * @throws IllegalArgumentException if they do not have the form above; the message says where
     */
    public static FencingTokens parse(List<String> lines) {
        return new FencingTokens(HeaderForm.read(lines));
    }

    /** These and one more. */
    public FencingTokens and(String resource, long token) {
        requireNonNull(resource, "resource");
        HeaderForm.check(resource, token);
        Map<String, Long> more = new TreeMap<>(tokens);
        if (more.put(resource, token) != null) {
            throw new IllegalArgumentException("resource '" + resource + "' has a token already");
        }
        HeaderForm.checkNumber(more.size());
        return new FencingTokens(more);
    }

    /** The token for a resource, if the request carries one. */
    public OptionalLong token(String resource) {
        Long token = tokens.get(requireNonNull(resource, "resource"));
        return token == null ? OptionalLong.empty() : OptionalLong.of(token);
    }

    /** All of them, by resource. */
    public Map<String, Long> asMap() {
        return tokens;
    }

    /** What stands behind the name of the header; empty if there are no tokens. */
    public String headerValue() {
        return tokens.entrySet().stream()
                .map(entry -> HeaderForm.encode(entry.getKey()) + "=" + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Puts the header into a request; a request without tokens gets none. */
    public HttpRequest.Builder addTo(HttpRequest.Builder request) {
        return tokens.isEmpty() ? request : request.setHeader(HEADER, headerValue());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FencingTokens that && tokens.equals(that.tokens);
    }

    @Override
    public int hashCode() {
        return tokens.hashCode();
    }

    /** As in the header. */
    @Override
    public String toString() {
        return headerValue();
    }
}
