package io.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.FencingGate;
import io.holdfast.testkit.Faults;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** The filter in a real container, called over real connections. */
class FencingTokenFilterIT {
    private final Tomcat tomcat = new Tomcat();
    private final HttpClient client = HttpClient.newHttpClient();
    private final FencingGate gate = FencingGate.inMemory();
    private final AtomicInteger served = new AtomicInteger();
    private int port;

    @BeforeEach
    void start(@TempDir Path folder) throws LifecycleException {
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
        add(context, "exposing", FencingTokenFilter.exposing(), "/own/*", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.getWriter().print(FencingTokenFilter.tokensOf(request));
            }

            @Override
            protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException {
                try {
                    gate.admit(
                            "a", FencingTokenFilter.tokensOf(request).token("a").orElseThrow());
                } catch (RuntimeException e) {
                    throw new ServletException(e); // as frameworks do
                }
                served.incrementAndGet();
            }
        });
        Filter checking = FencingTokenFilter.checking(
                gate, request -> Optional.of(request.getRequestURI().substring("/stock/".length())));
        add(context, "checking", checking, "/stock/*", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                served.incrementAndGet();
            }
        });
        tomcat.start();
        port = tomcat.getConnector().getLocalPort();
    }

    private static void add(Context context, String name, Filter filter, String urls, HttpServlet servlet) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        context.addFilterDef(definition);
        FilterMap mapping = new FilterMap();
        mapping.setFilterName(name);
        mapping.addURLPattern(urls);
        context.addFilterMap(mapping);
        Tomcat.addServlet(context, name, servlet);
        context.addServletMappingDecoded(urls, name);
    }

    @AfterEach
    void stop() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void tokens_reachTheApplication() throws Exception {
        FencingTokens tokens = FencingTokens.of("Äpfel, 1=2", 17).and("b", 18);
        assertThat(send(tokens.addTo(request("/own/x"))).body()).isEqualTo(tokens.headerValue());
        assertThat(send(request("/own/x").header(FencingTokens.HEADER, "a=1").header(FencingTokens.HEADER, "b=2"))
                        .body())
                .isEqualTo("a=1, b=2");
        assertThat(send(request("/own/x")).body()).isEmpty();
    }

    @Test
    void malformedHeader_isABadRequest() throws Exception {
        HttpResponse<String> answer = send(request("/own/x").header(FencingTokens.HEADER, "a=1, <script>=2"));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body().strip())
                .isEqualTo("Holdfast-Fencing-Token: token 2 is not of the form resource=number");
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain");
    }

    @Test
    @Faults(1)
    void staleToken_isRefusedByTheApplicationsOwnGate_with412() throws Exception {
        HttpRequest.Builder post = request("/own/x").POST(HttpRequest.BodyPublishers.noBody());
        assertThat(send(FencingTokens.of("a", 18).addTo(post)).statusCode()).isEqualTo(200);
        assertThat(send(FencingTokens.of("a", 18).addTo(post)).statusCode()).isEqualTo(200);

        HttpResponse<String> stale = send(FencingTokens.of("a", 17).addTo(post));

        assertThat(stale.statusCode()).isEqualTo(412);
        assertThat(stale.body().strip()).isEqualTo("resource 'a' refuses token 17: it has already seen 18");
        assertThat(served).hasValue(2);
    }

    @Test
    void otherErrorsOfTheApplication_areLeftAlone() throws Exception {
        HttpResponse<String> answer = send(request("/own/x").POST(HttpRequest.BodyPublishers.noBody()));
        assertThat(answer.statusCode()).isEqualTo(500);
    }

    @Test
    @Faults(1)
    void checkingFilter_asksTheGateBeforeTheApplication() throws Exception {
        assertThat(send(FencingTokens.of("apples", 18).addTo(request("/stock/apples")))
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<String> stale = send(FencingTokens.of("apples", 17).addTo(request("/stock/apples")));
        HttpResponse<String> missing = send(FencingTokens.of("pears", 19).addTo(request("/stock/apples")));

        assertThat(stale.statusCode()).isEqualTo(412);
        assertThat(missing.statusCode()).isEqualTo(428);
        assertThat(missing.body().strip())
                .isEqualTo("this needs a fencing token for 'apples' in the header Holdfast-Fencing-Token");
        assertThat(served).hasValue(1);
        gate.admit("pears", 1); // the token of a resource that the request does not touch was not believed
    }

    @Test
    void springsClient_sendsTheTokensOfTheMoment() {
        AtomicInteger token = new AtomicInteger(18);
        RestClient spring = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + port)
                .requestInterceptor(new FencingTokenInterceptor(
                        () -> token.get() == 0 ? FencingTokens.none() : FencingTokens.of("apples", token.get())))
                .build();
        spring.get().uri("/stock/apples").retrieve().toBodilessEntity();
        token.set(17);
        assertThatExceptionOfType(HttpClientErrorException.class)
                .isThrownBy(() -> spring.get().uri("/stock/apples").retrieve().toBodilessEntity())
                .satisfies(e -> assertThat(e.getStatusCode()).isEqualTo(HttpStatus.PRECONDITION_FAILED));
        token.set(0);
        assertThat(spring.get().uri("/own/x").retrieve().toEntity(String.class).getBody())
                .isNull();
    }
}
