package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.StoreFailure;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

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
