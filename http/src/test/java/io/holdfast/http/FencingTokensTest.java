package io.holdfast.http;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokensTest {
    @Test
    void form_isResourceAndNumber_severalWithCommas() {
        FencingTokens tokens = FencingTokens.of("stock:apples", 17).and("order:42", 0);
        assertThat(tokens.headerValue()).isEqualTo("order:42=0, stock:apples=17");
        assertThat(tokens.token("stock:apples")).hasValue(17);
        assertThat(tokens.token("stock:pears")).isEmpty();
        assertThat(FencingTokens.none().headerValue()).isEmpty();
    }

    @Test
    void leaseGivesItsNameAndToken() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect("memory:");
                Lease lease = locks.lock("stock:apples").acquire(ofSeconds(1))) {
            assertThat(FencingTokens.of(lease)).isEqualTo(FencingTokens.of("stock:apples", lease.token()));
        }
    }

    @Test
    void whatWouldBreakOutOfTheHeader_isEncoded() {
        assertThat(FencingTokens.of("a b,c=1%ä\"", 1).headerValue()).isEqualTo("a%20b%2Cc%3D1%25%C3%A4%22=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.of("a\r\nSet-Cookie: x", 1))
                .withMessage("a resource has a control character or half a surrogate pair");
    }

    @Test
    void anyResource_comesBackAsItWas() {
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            String resource = random.ints(1 + random.nextInt(40), 0x20, 0x2ffff)
                    .filter(c -> !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            if (resource.isEmpty()) {
                continue;
            }
            FencingTokens tokens = FencingTokens.of(resource, random.nextLong() >>> 1);
            assertThat(tokens.headerValue()).matches("[A-Za-z0-9._~:/%-]+=[0-9]+");
            assertThat(FencingTokens.parse(List.of(tokens.headerValue()))).isEqualTo(tokens);
        }
    }

    @Test
    void lines_areReadAsOneList() {
        assertThat(FencingTokens.parse(List.of("a=1,b=2", "\tc=9223372036854775807 "))
                        .asMap())
                .isEqualTo(Map.of("a", 1L, "b", 2L, "c", Long.MAX_VALUE));
        assertThat(FencingTokens.parse(List.of()).asMap()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a",
                "a=",
                "=1",
                "a=-1",
                "a=+1",
                "a=01",
                "a=1.0",
                "a=1;b=2",
                "a=1,",
                ",a=1",
                "a b=1",
                "a=1 2",
                "ä=1",
                "a==1",
                "a=0x1",
                "a=1\u00a0",
                "a=\u0661",
                "\"a\"=1",
                "a=12345678901234567890"
            })
    void whatIsNotOfTheForm_isRefused_withoutRepeatingIt(String line) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.parse(List.of(line)))
                .withMessageMatching("token [12] is not of the form resource=number");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a%=1 | token 1 has a % without two hexadecimal digits",
                "a%4=1 | token 1 has a % without two hexadecimal digits",
                "a%zz=1 | token 1 has a % without two hexadecimal digits",
                "%FF=1 | token 1 is for a resource that is not UTF-8",
                "%C0%AF=1 | token 1 is for a resource that is not UTF-8",
                "a%0D%0Ab=1 | a resource has a control character or half a surrogate pair",
                "a=9223372036854775808 | token 1 is above 2^63 - 1",
                "b=1,a=1,%61=2 | token 3 is for a resource that has one already"
            })
    void hiddenMischief_isRefused(String line, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.parse(List.of(line)))
                .withMessage(why);
    }

    @Test
    void size_isLimited() {
        String many = IntStream.range(0, 33).mapToObj(i -> "r" + i + "=1").collect(Collectors.joining(","));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.parse(List.of(many)))
                .withMessage("more than 32 tokens");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.parse(List.of("a".repeat(20_000) + "=1")))
                .withMessage("longer than 16384 characters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.parse(List.of("a".repeat(513) + "=1")))
                .withMessage("resource of 513 bytes: 1 to 512 bytes of UTF-8 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.of("a", 1).and("a", 2))
                .withMessage("resource 'a' has a token already");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingTokens.of("a", -1))
                .withMessage("token -1 is negative (resource 'a')");
    }

    @Test
    void request_getsTheHeader_orNone() {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost/"));
        assertThat(FencingTokens.of("a", 1)
                        .addTo(request.copy())
                        .build()
                        .headers()
                        .allValues(FencingTokens.HEADER))
                .containsExactly("a=1");
        assertThat(FencingTokens.none().addTo(request.copy()).build().headers().map())
                .isEmpty();
    }
}
