package io.holdfast.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.FencingGate;
import io.holdfast.StaleTokenException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fencing tokens of requests. A header that is not of the form is answered with 400. A {@link
 * StaleTokenException}, wherever it comes from, is answered with 412 if the answer has not begun: the sender has lost its
 * lock, and asking again with the same token is of no use.
 *
 * <p>{@link #exposing} leaves the check to the application: {@link #tokensOf} gives it the tokens, and it asks its gate
 * inside the transaction that writes. That is the form that guards.
 *
 * <p>{@link #checking} asks a gate before the application is called. What the application does after that is not one step
 * with the check, so a request that stops in between can still come too late; use it where nothing better can be had.
 *
 * <p>Thread safe.
 */
public final class FencingTokenFilter implements Filter {
    private static final int PRECONDITION_REQUIRED = 428;
    private static final String ATTRIBUTE = FencingTokens.class.getName();

    private final @Nullable FencingGate gate;
    private final Function<? super HttpServletRequest, Optional<String>> resource;

    private FencingTokenFilter(
            @Nullable FencingGate gate, Function<? super HttpServletRequest, Optional<String>> resource) {
        this.gate = gate;
        this.resource = requireNonNull(resource, "resource");
    }

    /** A filter that reads the tokens for the application. */
    public static FencingTokenFilter exposing() {
        return new FencingTokenFilter(null, request -> Optional.empty());
    }

    /**
     * A filter that also asks a gate. Which resource a request touches is the server's word, not the sender's: a request
     * that touches one and has no token for it is answered with 428.
     */
    public static FencingTokenFilter checking(
            FencingGate gate, Function<? super HttpServletRequest, Optional<String>> resource) {
        return new FencingTokenFilter(requireNonNull(gate, "gate"), resource);
    }

    /** The tokens of a request that has come through such a filter. */
    public static FencingTokens tokensOf(ServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof FencingTokens tokens) {
            return tokens;
        }
        throw new IllegalStateException(
                "this request has not come through a FencingTokenFilter: is it mapped to the URL?");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest question && response instanceof HttpServletResponse answer) {
            filter(question, answer, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        FencingTokens tokens;
        try {
            tokens = FencingTokens.parse(Collections.list(request.getHeaders(FencingTokens.HEADER)));
        } catch (IllegalArgumentException e) {
            refuse(response, HttpServletResponse.SC_BAD_REQUEST, FencingTokens.HEADER + ": " + e.getMessage());
            return;
        }
        request.setAttribute(ATTRIBUTE, tokens);
        try {
            if (isAdmitted(tokens, request, response)) {
                chain.doFilter(request, response);
            }
        } catch (IOException | ServletException | RuntimeException e) {
            StaleTokenException stale = staleIn(e);
            if (stale == null || response.isCommitted()) {
                throw e;
            }
            response.reset();
            refuse(response, HttpServletResponse.SC_PRECONDITION_FAILED, String.valueOf(stale.getMessage()));
        }
    }

    private boolean isAdmitted(FencingTokens tokens, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Optional<String> touched = resource.apply(request);
        if (gate == null || touched.isEmpty()) {
            return true;
        }
        OptionalLong token = tokens.token(touched.get());
        if (token.isEmpty()) {
            refuse(
                    response,
                    PRECONDITION_REQUIRED,
                    "this needs a fencing token for '" + touched.get() + "' in the header " + FencingTokens.HEADER);
            return false;
        }
        gate.admit(touched.get(), token.getAsLong());
        return true;
    }

    /** Frameworks wrap what the application throws. */
    private static @Nullable StaleTokenException staleIn(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof StaleTokenException stale) {
                return stale;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static void refuse(HttpServletResponse response, int status, String why) throws IOException {
        response.setStatus(status);
        response.setContentType("text/plain");
        response.setCharacterEncoding(UTF_8.name());
        response.getWriter().println(why);
    }
}
