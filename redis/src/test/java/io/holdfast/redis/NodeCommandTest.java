package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeCommandTest {
    private final NodeCommand command =
            new NodeCommand(Script.QUORUM, List.of("lock:订单", "queue"), List.of("release", "", "0123456789"));

    private String encoded(boolean known, String last) {
        return new String(command.encoded(known, last), UTF_8);
    }

    private static String part(byte[] text) {
        return "$" + text.length + "\r\n" + new String(text, UTF_8) + "\r\n";
    }

    @Test
    void scriptThatIsKnown_isCalledByItsHash() {
        assertThat(encoded(true, "17"))
                .isEqualTo("*9\r\n$7\r\nEVALSHA\r\n" + part(Script.QUORUM.sha())
                        + "$1\r\n2\r\n$11\r\nlock:订单\r\n$5\r\nqueue\r\n"
                        + "$7\r\nrelease\r\n$0\r\n\r\n$10\r\n0123456789\r\n$2\r\n17\r\n");
    }

    @Test
    @SuppressWarnings("NullAway")
    void scriptThatIsNotKnown_isSentAsText_andThereMayBeNoMore() {
        assertThat(encoded(false, null))
                .isEqualTo("*8\r\n$4\r\nEVAL\r\n" + part(Script.QUORUM.text())
                        + "$1\r\n2\r\n$11\r\nlock:订单\r\n$5\r\nqueue\r\n"
                        + "$7\r\nrelease\r\n$0\r\n\r\n$10\r\n0123456789\r\n");
    }
}
