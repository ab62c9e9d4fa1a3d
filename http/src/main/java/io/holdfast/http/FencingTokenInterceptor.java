package io.holdfast.http;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.function.Supplier;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/** Puts fencing tokens into the requests of Spring's {@code RestClient} and {@code RestTemplate}. Thread safe. */
public final class FencingTokenInterceptor implements ClientHttpRequestInterceptor {
    private final Supplier<FencingTokens> tokens;

    /** Asks for the tokens at each request: usually those of the leases that the calling thread works under. */
    public FencingTokenInterceptor(Supplier<FencingTokens> tokens) {
        this.tokens = requireNonNull(tokens, "tokens");
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        FencingTokens now = tokens.get();
        if (!now.asMap().isEmpty()) {
            request.getHeaders().set(FencingTokens.HEADER, now.headerValue());
        }
        return execution.execute(request, body);
    }
}
