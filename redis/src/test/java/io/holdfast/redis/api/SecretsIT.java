package io.holdfast.redis.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A password is in nothing that anybody is told: no log line however fine, no message, no cause, no name of anything. All
 * kinds of addresses, to servers that accept it, refuse it, do not know what a login is, are not there, or speak no TLS.
 */
class SecretsIT {
    /**
     * Both halves, so that one that is shown in part is found too; and what has to be encoded stands between them. Capitals, of
     * which no id has any: one of them had "s3s" in it.
     */
    private static final String SERVERS = "S3s%40me%2FW0rd";

    private static final String WRONG = "Wr0ng-S3s%40W0rd";
    private static final List<String> SECRETS = List.of("S3s", "W0rd", "Wr0ng");

    @Test
    @Faults(23)
    void password_isToldToNobody_atTheFinestLevelOfTheLog() {
        try (RedisServer secured = RedisServer.builder().password("S3s@me/W0rd").start();
                // As servers before 6 do, and some that stand in front of others: they answer with what they were told.
                RedisServer deaf = RedisServer.builder()
                        .config("rename-command", "HELLO \"\"")
                        .config("rename-command", "AUTH \"\"")
                        .start()) {
            secured.command("ACL", "SETUSER", "app", "on", ">S3s@me/W0rd", "~*", "&*", "+@all");
            List<String> addresses = addresses(secured.port(), deaf.port());
            List<String> lines = everythingThatIsTold(addresses);

            assertThat(lines.stream().filter(line -> SECRETS.stream().anyMatch(line::contains)))
                    .isEmpty();
            assertThat(lines.stream().filter(line -> line.startsWith("address ")))
                    .as("all were tried")
                    .hasSize(addresses.size());
            assertThat(lines)
                    .as("some of it worked, some failed, and there was a log")
                    .contains("told true")
                    .anyMatch(line -> line.contains("WRONGPASS"))
                    .anyMatch(line -> line.contains("unknown command 'AUTH'"))
                    .anyMatch(line -> line.contains("Connection refused"))
                    .anyMatch(line -> line.contains("SSL"))
                    .anyMatch(line -> line.contains("it should look like redlock://"))
                    .anyMatch(line -> line.contains("TRACE ") && line.endsWith("the log is on"));
        }
    }

    private static List<String> addresses(int secured, int deaf) {
        List<String> addresses = new ArrayList<>();
        for (String login : List.of("app:" + SERVERS, ":" + WRONG)) {
            String at = login + "@127.0.0.1:" + secured;
            addresses.add("uri redis://" + at);
            addresses.add("once redis://" + login + "@127.0.0.1:" + deaf);
            addresses.add("once redis://" + at + "/99");
            addresses.add("once redis://" + login + "@127.0.0.1:1");
            addresses.add("once redis-cluster://" + at + ",127.0.0.1:1");
            addresses.add("once redis-cluster://" + login + "@127.0.0.1:" + deaf);
            addresses.add("once redis-sentinel://" + at + "/mymaster?sentinelPassword=" + SERVERS);
            addresses.add("once redis-sentinel://" + at + "/mymaster?sentinelUser=app&sentinelPassword=" + WRONG);
            addresses.add("once redlock://" + at + ",127.0.0.1:" + deaf + ",127.0.0.1:1");
        }
        addresses.add("once redis-sentinel://127.0.0.1:" + deaf + "/m?sentinelUser=u&sentinelPassword=" + SERVERS);
        addresses.add("brief rediss://app:" + SERVERS + "@127.0.0.1:" + secured);
        addresses.add("once rediss-cluster://app:" + SERVERS + "@127.0.0.1:1");
        addresses.add("once rediss-sentinel://app:" + SERVERS + "@127.0.0.1:1/m");
        addresses.add("brief redlocks://app:" + SERVERS + "@127.0.0.1:" + secured + ",127.0.0.1:1,127.0.0.1:2");
        for (int port : new int[] {secured, deaf}) {
            addresses.add("short redis://:" + SERVERS + "@127.0.0.1:" + port);
            addresses.add("short redis://:" + WRONG + "@127.0.0.1:" + port);
            addresses.add("own redis://:" + SERVERS + "@127.0.0.1:" + port);
            addresses.add("own redis://:" + WRONG + "@127.0.0.1:" + port);
        }
        for (String scheme : List.of("redis", "redis-sentinel", "redis-cluster", "redlock", "redis-nonsense")) {
            for (String malformed : List.of(
                    ":S3s@W0rd@h",
                    ":S3s/W0rd@h",
                    ":S3s?W0rd@h",
                    ":S3s#W0rd@h",
                    ":S3s W0rd@h",
                    ":S3s%W0rd@h",
                    ":S3sW0rd@h:x",
                    ":S3sW0rd@",
                    "S3sW0rd@h",
                    "u:S3sW0rd@h/x/y",
                    "u:S3sW0rd@h?a=b")) {
                addresses.add("once " + scheme + "://" + malformed);
            }
        }
        return addresses;
    }

    private static List<String> everythingThatIsTold(List<String> addresses) {
        try (JvmProcess jvm = JvmProcess.of(SecretsMain.class)
                .options(
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=trace",
                        // A pool of Jedis logs what a server answers, as the page on security says.
                        "-Dorg.slf4j.simpleLogger.log.redis.clients.jedis.JedisFactory=info",
                        "-Dorg.slf4j.simpleLogger.log.redis.clients.jedis.ConnectionFactory=info")
                .start()) {
            addresses.forEach(jvm::send);
            jvm.send("end");
            jvm.awaitLine("done", Duration.ofSeconds(110));
            return jvm.lines();
        }
    }
}
