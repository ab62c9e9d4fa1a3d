package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeastRightsTest {
    @Test
    void rule_isOneCommandForThePrefix_withoutThePassword() {
        assertThat(LeastRights.of("redis://app:sesame@db1", "shop:").rule("app"))
                .startsWith("ACL SETUSER app on ><password> resetkeys ~shop:* resetchannels &shop:~inbox:* -@all +eval"
                        + " +evalsha ")
                .doesNotContain("sesame", "+select", "+role", "+cluster", "+asking");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://db1/3, +select",
        "rediss-sentinel://db1/mymaster, +role",
        "redis-sentinel://db1/mymaster?database=2, +select",
        "redis-cluster://db1, +cluster|slots",
        "redis-cluster://db1, +asking",
        "'redlock://db1,db2,db3/2', +select"
    })
    void commands_areThoseThatTheKindOfStoreSends(String uri, String command) {
        assertThat(LeastRights.of(uri, "shop:").commands()).contains(command);
    }

    @Test
    void commandsOfAQuorum_needNoSelectInTheFirstDatabase() {
        assertThat(LeastRights.of("redlock://db1,db2,db3", "shop:").commands()).doesNotContain("+select");
    }

    @Test
    void prefixWithCharactersThatMeanSomethingInAPattern_standsForItself() {
        LeastRights rights = LeastRights.of("redis://db1", "a*[b] \\c:");

        assertThat(rights.scope()).contains("~a\\*\\[b\\]?\\\\c:*");
        assertThat(rights.rule("app")).contains(" \"~a\\\\*\\\\[b\\\\]?\\\\\\\\c:*\" ");
    }

    @Test
    void storeThatIsNoRedis_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeastRights.of("memory:", "shop:"))
                .withMessageContaining("memory:");
    }
}
