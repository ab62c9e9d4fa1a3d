package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrantMessageTest {
    /** What it is, said in another way. */
    private static final Pattern GRANT = Pattern.compile(
            "([^ ]+) ([0-9]{1,16}) ([0-9]{1,9})((?:,[^ ]+)?) ([0-9]{1,9}) ([0-9]{1,16}) (.+)", Pattern.DOTALL);

    @Test
    void grant_isRead() {
        assertThat(GrantMessage.read("c:1:a 1234567890123456 1 2000 9999999999999999 distributed_lock:orders"))
                .isEqualTo(new GrantMessage(
                        "c:1:a", 1234567890123456L, 1, List.of(), 2000, 9999999999999999L, "distributed_lock:orders"));
    }

    @Test
    void nameWithBlanks_isTheRest() {
        GrantMessage grant = GrantMessage.read("c:1:a 1 1 2000 5 p: a, b ");
        assertThat(grant).isNotNull();
        assertThat(grant.lockKey()).isEqualTo("p: a, b ");
        assertThat(grant.behind()).isEmpty();
    }

    @Test
    void thoseBehind_areOfTheSameClient() {
        GrantMessage grant = GrantMessage.read("c:1:a 1 3,2:b,3:c 2000 5 p:x");
        assertThat(grant).isNotNull();
        assertThat(grant.tokens()).isEqualTo(3);
        assertThat(grant.behind()).containsExactly("c:2:b", "c:3:c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "      ",
                "c:1:a",
                "c:1:a p:x",
                " 1 1 2000 5 p:x",
                "c:1:a 1 1 2000 5",
                "c:1:a 1 1 2000 5 ",
                "c:1:a  1 2000 5 p:x",
                "c:1:a 1 1, 2000 5 p:x",
                "c:1:a 1 ,b 2000 5 p:x",
                "c:1:a -1 1 2000 5 p:x",
                "c:1:a 1 1 2x 5 p:x",
                "c:1:a 12345678901234567 1 2000 5 p:x",
                "c:1:a 1 1234567890 2000 5 p:x",
                "c:1:a 1 1 \u0661 5 p:x"
            })
    void anythingElse_isNone(String text) {
        assertThat(GrantMessage.read(text)).isNull();
    }

    @Test
    void whateverComes_isReadAsThePatternReadsIt() {
        Random random = new Random(7);
        String alphabet = "  1234,:ac-";
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder(i % 2 == 0 ? "" : "c:1 12 3");
            for (int length = random.nextInt(20); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            Matcher pattern = GRANT.matcher(text);
            GrantMessage grant = GrantMessage.read(text.toString());
            assertThat(grant != null).as("'%s'", text).isEqualTo(pattern.matches());
            if (grant != null) {
                assertThat(grant.owner()).isEqualTo(pattern.group(1));
                assertThat(grant.token()).isEqualTo(Long.parseLong(pattern.group(2)));
                assertThat(grant.tokens()).isEqualTo(Integer.parseInt(pattern.group(3)));
                assertThat(grant.lengthMillis()).isEqualTo(Long.parseLong(pattern.group(5)));
                assertThat(grant.serverMicros()).isEqualTo(Long.parseLong(pattern.group(6)));
                assertThat(grant.lockKey()).isEqualTo(pattern.group(7));
            }
        }
    }
}
