package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespReaderTest {

    private static RespReader reader(String text) {
        return new RespReader(new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    @Test
    void repliesOfEveryKind_areReadInTheirOrder() throws IOException {
        RespReader replies = reader(":-7\r\n+OK\r\n-ERR no\r\n$3\r\na\r\n\r\n$-1\r\n*-1\r\n*2\r\n:1\r\n*1\r\n:2\r\n");

        assertThat(replies.read()).isEqualTo(-7L);
        assertThat(replies.read()).isEqualTo("OK");
        assertThat(replies.read()).isEqualTo(new RespReader.ServerError("ERR no"));
        assertThat(replies.read()).isEqualTo("a\r\n".getBytes(UTF_8));
        assertThat(replies.read()).isNull();
        assertThat(replies.read()).isNull();
        assertThat(replies.read()).isEqualTo(List.of(1L, List.of(2L)));
    }

    @Test
    void errorOfAnUnknownScript_isToldFromOthers() {
        assertThat(new RespReader.ServerError("NOSCRIPT No matching script").isUnknownScript())
                .isTrue();
        assertThat(new RespReader.ServerError("ERR NOSCRIPT").isUnknownScript()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                9,
                -1,
                1_234_567_890_123L,
                Long.MAX_VALUE,
                Long.MAX_VALUE - 1,
                Long.MIN_VALUE,
                Long.MIN_VALUE + 1
            })
    void everyNumber_isReadAsItIs(long number) throws IOException {
        assertThat(reader(":" + number + "\r\n").read()).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":-7\r\n",
                "+OK\r\n",
                "-ERR no\r\n",
                "$3\r\na\r\n\r\n",
                "$0\r\n\r\n",
                "$-1\r\n",
                "*0\r\n",
                "*-1\r\n",
                "$9\r\nabcdefghi\r\n",
                "*3\r\n:1\r\n*2\r\n$2\r\nab\r\n:2\r\n$-1\r\n",
                "*1\r\n*1\r\n*1\r\n*1\r\n$2\r\nab\r\n"
            })
    void reply_isWhole_withItsLastByteAndNotBefore(String reply) throws IOException {
        ByteByByte pieces = new ByteByByte(":1\r\n" + reply);
        RespReader replies = new RespReader(pieces);
        for (int i = 0; i < 4; i++) {
            assertThat(replies.isWhole()).isFalse();
            assertThat(replies.more()).isTrue();
        }
        assertThat(replies.read()).isEqualTo(1L);

        for (int i = 0; i < reply.length(); i++) {
            assertThat(replies.isWhole()).as(reply.substring(0, i)).isFalse();
            assertThat(replies.more()).isTrue();
        }
        assertThat(replies.isWhole()).isTrue();
        assertThat(replies.read())
                .usingRecursiveComparison()
                .isEqualTo(reader(reply).read());
        assertThat(replies.hasMore()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$\r\n",
                "$x\r\n",
                "$99999999\r\n",
                "$1\r\n\r\n\r\n",
                "*77777777777\r\n",
                "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
                "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
                "!\r\n"
            })
    void nonsense_isWhole_andRefusedWithoutWaitingForMore(String reply) throws IOException {
        RespReader replies = reader(reply);
        assertThat(replies.more()).isTrue();

        assertThat(replies.isWhole()).isTrue();
        assertThatThrownBy(replies::read).isInstanceOf(IOException.class).isNotInstanceOf(EOFException.class);
    }

    @Test
    void replyThatIsLargerThanTheRoomForIt_isReadByWhoeverMayWait() throws IOException {
        String text = "x".repeat(20_000);
        RespReader replies = reader("$20000\r\n" + text + "\r\n");
        while (replies.more()) {
            assertThat(replies.isWhole()).isFalse();
        }

        assertThat(replies.isWhole()).isFalse();
        assertThat(replies.read()).isEqualTo(text.getBytes(UTF_8));
    }

    @Test
    void lineThatIsLongerThanTheRoomForIt_isReadByWhoeverMayWait() throws IOException {
        String text = "x".repeat(20_000);
        RespReader replies = reader("+" + text + "\r\n");
        while (replies.more()) {
            assertThat(replies.isWhole()).isFalse();
        }

        assertThat(replies.isWhole()).isFalse();
        assertThat(replies.read()).isEqualTo(text);
    }

    @Test
    void textOfTheLargestSize_isWaitedFor() throws IOException {
        RespReader replies = reader("$1048576\r\nab");
        assertThat(replies.more()).isTrue();

        assertThat(replies.isWhole()).isFalse();
    }

    /** The buffer is full with the first reply and all but the last byte of the second. */
    @Test
    void roomOfWhatWasRead_isUsedAgain() throws IOException {
        String text = "0123456789".repeat(818);
        RespReader replies = reader(":1\r\n$8180\r\n" + text + "\r\n:2\r\n");
        assertThat(replies.more()).isTrue();
        assertThat(replies.read()).isEqualTo(1L);
        assertThat(replies.isWhole()).isFalse();

        assertThat(replies.more()).isTrue();

        assertThat(replies.isWhole()).isTrue();
        assertThat(replies.read()).isEqualTo(text.getBytes(UTF_8));
        assertThat(replies.more()).isTrue();
        assertThat(replies.read()).isEqualTo(2L);
    }

    /** A stream gives something, or ends; with one that does neither, nobody may wait forever. */
    @Test
    void streamThatGivesNothing_isOver() {
        RespReader replies = new RespReader(new FilterInputStream(new ByteArrayInputStream(new byte[0])) {
            @Override
            public int read(byte[] to, int from, int most) {
                return 0;
            }
        });

        assertThatThrownBy(replies::more).isInstanceOf(EOFException.class);
        assertThatThrownBy(replies::read).isInstanceOf(EOFException.class);
    }

    private static final class ByteByByte extends FilterInputStream {
        ByteByByte(String text) {
            super(new ByteArrayInputStream(text.getBytes(UTF_8)));
        }

        @Override
        public int read(byte[] to, int from, int most) throws IOException {
            return super.read(to, from, 1);
        }
    }

    /** More than fits into one read, and in pieces. */
    @Test
    void longText_thatComesInPieces_isReadWhole() throws IOException {
        String text = "0123456789".repeat(2_500);
        InputStream pieces =
                new FilterInputStream(new ByteArrayInputStream(
                        ("$" + text.length() + "\r\n" + text + "\r\n:5\r\n").getBytes(UTF_8))) {
                    @Override
                    public int read(byte[] to, int from, int most) throws IOException {
                        return super.read(to, from, Math.min(most, 777));
                    }
                };
        RespReader replies = new RespReader(pieces);

        assertThat(replies.read()).isEqualTo(text.getBytes(UTF_8));
        assertThat(replies.read()).isEqualTo(5L);
    }

    @Test
    void longLine_isReadWhole() throws IOException {
        assertThat(reader("+" + "x".repeat(1_000) + "\r\n").read()).isEqualTo("x".repeat(1_000));
    }

    /** The largest of all kinds: more than any command of ours is answered with, and not enough to hurt. */
    @Test
    void replyOfTheLargestSize_isRead_andOneByteMoreIsNot() throws IOException {
        int most = 1 << 20;
        assertThat(reader("$" + most + "\r\n" + "x".repeat(most) + "\r\n").read() instanceof byte[] bytes
                        && bytes.length == most)
                .isTrue();
        assertThat(reader("$0\r\n\r\n").read()).isEqualTo(new byte[0]);
        assertThat(reader("*0\r\n").read()).isEqualTo(List.of());
        assertThatThrownBy(() -> reader("$" + (most + 1) + "\r\n" + "x".repeat(most + 1) + "\r\n")
                        .read())
                .hasMessage("a reply had a size of " + (most + 1));
        assertThatThrownBy(() -> reader("+" + "x".repeat(2 * most) + "\r\n").read())
                .as("a line says nothing of its length beforehand")
                .hasMessageStartingWith("a reply had a size of ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x\r\n",
                ":\r\n",
                ":1",
                ":1\rx",
                ":abc\r\n",
                ":-\r\n",
                ":+1\r\n",
                ":1 \r\n",
                ":9223372036854775808\r\n",
                ":-9223372036854775809\r\n",
                ":99999999999999999999\r\n",
                "$5\r\nab",
                "$2\r\nabc\r\n",
                "$-2\r\n",
                "$99999999999\r\n",
                "*-3\r\n",
                "*1048577\r\n",
                "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"
            })
    void whatIsNoReply_endsTheConnection(String text) {
        assertThatThrownBy(() -> reader(text).read()).isInstanceOf(IOException.class);
    }
}
