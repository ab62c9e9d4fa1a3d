package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespFramesTest {
    private static final List<String> MESSAGES = List.of(
            "+OK\r\n",
            "-ERR no\r\n",
            ":-12\r\n",
            "$-1\r\n",
            "*-1\r\n",
            "$0\r\n\r\n",
            "$4\r\n\r\n*1\r\n",
            "*0\r\n",
            "*2\r\n$3\r\nGET\r\n$1\r\na\r\n",
            "*2\r\n*1\r\n:1\r\n$1\r\nx\r\n",
            "%1\r\n+a\r\n*1\r\n:1\r\n",
            "~1\r\n,1.5\r\n",
            ">2\r\n+message\r\n_\r\n",
            "|1\r\n+ttl\r\n:3600\r\n#t\r\n",
            "=7\r\ntxt:abc\r\n",
            "(12345678901234567890\r\n");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void add_inPiecesOfAnySize_givesWholeMessages(int pieceSize) {
        byte[] all = String.join("", MESSAGES).getBytes(UTF_8);
        RespFrames frames = new RespFrames(true);
        List<String> found = new ArrayList<>();
        for (int i = 0; i < all.length; i += pieceSize) {
            int length = Math.min(pieceSize, all.length - i);
            byte[] piece = new byte[pieceSize];
            System.arraycopy(all, i, piece, 0, length);
            frames.add(piece, length).forEach(bytes -> found.add(new String(bytes, UTF_8)));
        }
        assertThat(found).isEqualTo(MESSAGES);
        assertThat(frames.isResp()).isTrue();
    }

    @Test
    void add_ofSomethingElse_passesItOnAsItIs() {
        RespFrames frames = new RespFrames(true);
        assertThat(frames.add("*1\r\n$1\r\na\r\nGET /\r\n".getBytes(UTF_8), 18)).hasSize(1);
        assertThat(frames.isResp()).isFalse();
        assertThat(frames.add("abc".getBytes(UTF_8), 3)).hasSize(1);
    }

    @Test
    void add_ofALengthThatIsNoNumber_passesItOnAsItIs() {
        RespFrames frames = new RespFrames(true);
        assertThat(frames.add("*x\r\n".getBytes(UTF_8), 4)).hasSize(1);
        assertThat(frames.isResp()).isFalse();
    }

    @Test
    void add_ofAnUnfinishedMessage_waitsForItsRest() {
        RespFrames frames = new RespFrames(true);
        assertThat(frames.add("*1\r\n$4\r\nPI".getBytes(UTF_8), 10)).isEmpty();
        assertThat(frames.add("NG\r\n".getBytes(UTF_8), 4)).hasSize(1);
    }
}
