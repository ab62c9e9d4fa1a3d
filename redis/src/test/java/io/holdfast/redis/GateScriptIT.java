package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** gate.lua, reply by reply. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
class GateScriptIT {
    private static final String GATE = "distributed_lock:~gate:invoice";

    private final RedisServer redis;
    private final Scripts scripts;

    GateScriptIT(RedisServer.Version version) {
        redis = SharedRedis.empty(version);
        scripts = new Scripts(redis);
    }

    private @Nullable Object admit(String token) {
        return scripts.run(Script.GATE, List.of(GATE), token, "60000");
    }

    private @Nullable Object write(String token, String value) {
        return scripts.run(Script.GATE, List.of(GATE, "data"), token, "60000", value);
    }

    @Test
    void first_isAdmittedAndRememberedForTheTimeTold() {
        assertThat(admit("17")).isEqualTo("17");
        assertThat(redis.command("GET", GATE)).isEqualTo("17");
        assertThat(scripts.ttl(GATE)).isBetween(59_000L, 60_000L);
    }

    @ParameterizedTest
    @CsvSource({
        "17, 17",
        "17, 18",
        "9, 10",
        "99, 100",
        "999999999999999, 1000000000000000",
        "9007199254740992, 9007199254740993",
        "9223372036854775806, 9223372036854775807",
        "0, 1",
    })
    @Faults(58)
    void notLower_isAdmitted(String seen, String token) {
        admit(seen);

        assertThat(admit(token)).isEqualTo(token);
        assertThat(redis.command("GET", GATE)).isEqualTo(token);
    }

    @ParameterizedTest
    @CsvSource({
        "18, 17",
        "10, 9",
        "100, 99",
        "1000000000000000, 999999999999999",
        "9007199254740993, 9007199254740992",
        "9223372036854775807, 9223372036854775806",
        "1, 0",
    })
    @Faults({1, 58})
    void lower_isRefusedWithTheHighestSeen(String seen, String token) {
        admit(seen);

        assertThat(admit(token)).isEqualTo(seen);
        assertThat(redis.command("GET", GATE)).isEqualTo(seen);
    }

    @Test
    @Faults({1, 3})
    void write_ofAStaleToken_changesNothing() {
        assertThat(write("18", "new")).isEqualTo("18");

        assertThat(write("17", "old")).isEqualTo("18");
        assertThat(redis.command("GET", "data")).isEqualTo("new");
    }

    /** It was taken for a lower token if it was shorter, and written over. */
    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "1 ", "1e3", "0x1"})
    void somethingElse_isNoLowerToken(String value) {
        redis.command("SET", GATE, value);

        assertThat(admit("18446744")).isEqualTo(value);
        assertThat(redis.command("GET", GATE)).isEqualTo(value);
    }

    @Test
    void somethingHuge_isNotSentAsAWhole() {
        redis.command("SET", GATE, "9".repeat(100_000));

        assertThat(admit("18")).asString().hasSize(40);
    }

    @Test
    void write_ofTheSameToken_writesAgain() {
        write("18", "one");
        write("18", "two");

        assertThat(redis.command("GET", "data")).isEqualTo("two");
    }

    @Test
    void admission_andWrite_shareTheirMemory() {
        admit("18");

        assertThat(write("17", "old")).isEqualTo("18");
        assertThat(redis.command("GET", "data")).isNull();
    }

    @Test
    void admission_again_remembersForTheFullTimeAgain() {
        admit("18");
        redis.command("PEXPIRE", GATE, "100");

        admit("18");

        assertThat(scripts.ttl(GATE)).isBetween(59_000L, 60_000L);
    }
}
