package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.StoreFailure;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What becomes of what Jedis throws. */
class JedisErrorsTest {
    private static final String ADDRESS = "redis://h:6379";

    /** With and without a message: the JVM leaves it out once it has thrown the same often enough. */
    static Stream<RuntimeException> misread() {
        return Stream.of(
                new ClassCastException("class [B cannot be cast to class java.util.List"),
                new ClassCastException(),
                new IndexOutOfBoundsException("Index 1 out of bounds for length 1"),
                new ArrayIndexOutOfBoundsException(),
                new NegativeArraySizeException("-2"),
                new NullPointerException(),
                new NumberFormatException("For input string: \"x\""));
    }

    @ParameterizedTest
    @MethodSource("misread")
    void replyThatJedisCannotRead_isSaidToBeOne_withoutTheNamesOfClasses(RuntimeException error) {
        StoreFailure failure = JedisErrors.failure(ADDRESS, error);

        assertThat(failure.reason()).isEqualTo("redis://h:6379 answered something that Jedis cannot read");
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.UNAVAILABLE);
        assertThat(failure).hasCause(error);
    }

    /** Servers that do not know a command answer with what they were told: with a login, its password. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR unknown command `HELLO`, with args beginning with: `2`, `AUTH`, `app`, `sesame`, ",
                "ERR unknown command 'AUTH', with args beginning with: 'app' 'sesame' "
            })
    void errorThatRepeatsALogin_isCut_withItsCauses(String words) {
        JedisDataException said = new JedisDataException(words);
        JedisException wrapped = new JedisException("Could not get a resource: " + words, said);
        for (RuntimeException error : List.of(said, wrapped)) {
            StoreFailure failure = JedisErrors.failure(ADDRESS, error);

            assertThat(failure.reason()).contains("unknown command").doesNotContain("sesame", "app");
            assertThat(failure).rootCause().hasMessageNotContaining("sesame");
            assertThat(JedisErrors.unsaid(error, null).getStackTrace()).isEqualTo(error.getStackTrace());
        }
        assertThat(JedisErrors.unsaid(said, null)).isInstanceOf(JedisDataException.class);
        assertThat(JedisErrors.failure(ADDRESS, said).reason())
                .endsWith("Redis 6.2 or newer has all, if none is renamed");
    }

    @Test
    void errorThatIsNothingButWhatWasSaid_isEmpty() {
        assertThat(JedisErrors.unsaid(new JedisDataException(", with args beginning with: 'sesame' "), null))
                .hasMessage("");
    }

    @Test
    void errorThatRepeatsAKnownSecret_hidesIt() {
        JedisDataException said = new JedisDataException("ERR I was told 'sesame' by you");
        JedisConnectionException beside = new JedisConnectionException("gave up");
        beside.addSuppressed(said);

        assertThat(JedisErrors.unsaid(said, "sesame"))
                .hasMessage("ERR I was told '***' by you")
                .hasNoCause();
        assertThat(JedisErrors.unsaid(beside, "sesame"))
                .isInstanceOf(JedisConnectionException.class)
                .hasMessage("gave up")
                .hasNoSuppressedExceptions();
    }

    /** A time-out is one by its cause. */
    @Test
    void errorThatRepeatsNothing_isLeftAsItIs() {
        JedisConnectionException timeout = new JedisConnectionException(new SocketTimeoutException("Read timed out"));
        JedisException end = new JedisException("b");
        JedisConnectionException circle = new JedisConnectionException("a", end);
        end.initCause(circle);

        assertThat(JedisErrors.unsaid(timeout, "Read")).isSameAs(timeout);
        assertThat(JedisErrors.unsaid(circle, "x")).isSameAs(circle);
        JedisDataException plain = new JedisDataException("WRONGPASS");
        assertThat(JedisErrors.unsaid(plain, "")).isSameAs(plain);
    }

    @Test
    void otherErrors_keepTheirWords() {
        assertThat(JedisErrors.failure(ADDRESS, new JedisConnectionException("gone"))
                        .reason())
                .isEqualTo("cannot reach redis://h:6379: gone");
        assertThat(JedisErrors.failure(ADDRESS, new IllegalStateException("Pool not open"))
                        .reason())
                .isEqualTo("cannot use redis://h:6379: Pool not open");
        assertThat(JedisErrors.failure(ADDRESS, new JedisDataException("OOM x")).kind())
                .isEqualTo(StoreFailure.Kind.REFUSED);
    }
}
