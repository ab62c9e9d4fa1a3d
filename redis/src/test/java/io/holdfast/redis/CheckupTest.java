package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Platform;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server that cannot be had for a test would be found to be. */
class CheckupTest {
    private static String info(String version, String... more) {
        return "redis_version:" + version + "\r\nrole:master\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n"
                + "aof_enabled:1\r\n" + String.join("\r\n", more) + "\r\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.2.0", "6.10.1", "7.0.15", "8.2", "10.0.0", "unstable"})
    void versionThatIsTestedOrNewer_isFine(String version) {
        assertThat(Checkup.judge(info(version), false)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.0.20", "5.0.14", "2.8"})
    void olderVersion_isWarnedAbout(String version) {
        assertThat(Checkup.judge(info(version), false))
                .singleElement()
                .asString()
                .startsWith("the server is of version " + version + ": nothing before 6.2 is tested");
    }

    @Test
    void evictionPolicy_isWarnedAboutOnlyIfThereIsALimitToReach() {
        String careless =
                "redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:1\r\nmaxmemory:";

        assertThat(Checkup.judge(careless + "1000\r\n", false))
                .singleElement()
                .asString()
                .startsWith("maxmemory-policy is allkeys-lru: ");
        assertThat(Checkup.judge(careless + "0\r\n", false)).isEmpty();
    }

    @Test
    void replicaThatIsNotThereYet_isWarnedAbout() {
        String replica = "slave0:ip=10.0.0.7,port=6380,state=wait_bgsave,offset=0,lag=0";

        assertThat(Checkup.judge(info("7.0.15", replica, "min_slaves_good_slaves:0"), false))
                .singleElement()
                .asString()
                .startsWith("the replica 10.0.0.7:6380 does not follow yet (wait_bgsave): ");
    }

    @Test
    void replicaThatWasHeardOfLongAgo_isWarnedAbout() {
        String replica = "slave0:ip=10.0.0.7,port=6380,state=online,offset=0,lag=";

        assertThat(Checkup.judge(info("7.0.15", replica + 3, "min_slaves_good_slaves:1"), false))
                .isEmpty();
        assertThat(Checkup.judge(info("7.0.15", replica + 4, "min_slaves_good_slaves:1"), false))
                .singleElement()
                .asString()
                .startsWith("the replica 10.0.0.7:6380 was last heard of 4 s ago: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.2.0", "6.2.6"})
    void serverThatLetsScriptsWriteWithoutReplicas_isWarnedAboutIfItHasSome(String version) {
        String replica = "slave0:ip=10.0.0.7,port=6380,state=online,offset=0,lag=0";

        assertThat(Checkup.judge(info(version, replica, "min_slaves_good_slaves:1"), false))
                .singleElement()
                .asString()
                .startsWith("the server is of version " + version
                        + ", which runs scripts also while fewer replicas follow");
        assertThat(Checkup.judge(info(version), false)).isEmpty();
        for (String mended : List.of("6.2.7", "6.2.11", "7.0.15")) {
            assertThat(Checkup.judge(info(mended, replica, "min_slaves_good_slaves:1"), false))
                    .as(mended)
                    .isEmpty();
        }
    }

    @Test
    void masterWithoutAReplica_isWarnedAboutInAClusterOnly() {
        assertThat(Checkup.judge(info("7.0.15"), true))
                .singleElement()
                .asString()
                .startsWith("this master has no replica: ");
        assertThat(Checkup.judge(info("7.0.15"), false)).isEmpty();
    }

    @Test
    void answerThatLacksThings_isOneWarning() {
        assertThat(Checkup.judge("hm", false))
                .singleElement()
                .asString()
                .contains("lacks redis_version, role, maxmemory_policy, aof_enabled");
    }

    @Test
    void clocks_areToldApartOnlyByMoreThanTheAnswersTook() {
        NodeClocks clocks = new NodeClocks(Platform.system());
        clocks.add("db1:6379", 10_000, 10_000, 10_400);
        clocks.add("db2:6379", 10_900, 10_400, 10_410);
        assertThat(clocks.differences()).isEmpty();

        clocks.add("db3:6379", 10_950, 10_420, 10_425);
        assertThat(clocks.differences())
                .as("525 ms")
                .singleElement()
                .asString()
                .startsWith("the clock of db3:6379 is 525 ms ahead of that of db1:6379: ");
    }
}
