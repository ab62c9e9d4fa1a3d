package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
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
    void longLine_isReadWhole() throws IOException {
        assertThat(reader("+" + "x".repeat(1_000) + "\r\n").read()).isEqualTo("x".repeat(1_000));
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
