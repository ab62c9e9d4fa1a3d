package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestTest {
    private static final Request FIRST = asks("c:1:a");
    private static final Request SECOND = asks("c:2:b");

    private static Request asks(String owner) {
        return Request.byHash(
                new byte[0],
                Stream.concat(
                                Stream.of(Script.LOCK.sha()),
                                Stream.of("2", "lock", "queue", "A", owner, "30000", "9", "", "", "0")
                                        .map(RequestTest::bytes))
                        .toArray(byte[][]::new));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    /** With names as text. */
    private static List<String> part(List<Object> reply, int index, int together, @Nullable Request before) {
        return ((List<?>) Request.part(reply, index, together, before))
                .stream().map(Reply::text).toList();
    }

    @Test
    void part_ofAReplyToTheFirst_isThatOfOneWhoStandsAsFarBehindIt() {
        List<Object> reply = List.of(2L, 77L, 0L, 30_000L, 5L, 1L, bytes("d:1:z"));

        assertThat(part(reply, 0, 3, null)).containsExactly("2", "77", "0", "30000", "5", "1", "d:1:z");
        assertThat(part(reply, 1, 3, FIRST)).containsExactly("2", "77", "0", "30000", "6", "1", "c:1:a");
        assertThat(part(reply, 2, 3, SECOND)).containsExactly("2", "77", "0", "30000", "7", "1", "c:2:b");
    }

    /** Who asks for tokens of its own is not told whom it follows, nor is one that comes behind it. */
    @Test
    void part_ofAReplyThatNamesNobody_namesNobody() {
        List<Object> reply = List.of(2L, 77L, 0L, 30_000L, 5L, 1L);

        assertThat(Request.part(reply, 1, 2, FIRST)).isEqualTo(List.of(2L, 77L, 0L, 30_000L, 6L, 1L));
    }

    @Test
    void part_ofAListOfReplies_isOneOfThem() {
        List<Object> second = List.of(2L, 77L, 0L, 30_000L, 9L, 1L);
        List<Object> reply = List.of(List.of(2L, 77L, 0L, 30_000L, 3L, 1L), second);

        assertThat(Request.part(reply, 1, 2, FIRST)).isEqualTo(second);
    }

    /** It is left to whoever reads it to refuse it. */
    @Test
    void part_ofWhatIsNoSuchReply_isAllOfIt() {
        assertThat(Request.part(4L, 1, 2, FIRST)).isEqualTo(4L);
        assertThat(Request.part(List.of(), 1, 2, FIRST)).isEqualTo(List.of());
        assertThat(Request.part(List.of(1L, 77L, 0L, 8L, 1L), 1, 2, FIRST)).isEqualTo(List.of(1L, 77L, 0L, 8L, 1L));
        assertThat(Request.part(List.of(2L, 77L), 1, 3, FIRST)).isEqualTo(List.of(2L, 77L));
    }
}
