package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisSentinelsIT {
    private final RedisSentinels sentinels = RedisSentinels.start();

    @AfterAll
    void stop() {
        sentinels.close();
        assertThat(sentinels.servers()).noneMatch(RedisServer::isRunning);
        assertThat(sentinels.sentinels()).noneMatch(RedisServer::isRunning);
    }

    /** One after the other, since each needs what the one before has healed. */
    @Test
    void failovers_byCommandCrashAndPause_promoteAReplicaWithTheData() {
        assertThat(sentinels.uri()).matches("redis-sentinel://(127\\.0\\.0\\.1:\\d+,){2}127\\.0\\.0\\.1:\\d+/mymaster");
        RedisServer first = sentinels.master();
        first.command("SET", "a", "1");
        sentinels.awaitReplicated();

        RedisServer second = sentinels.failover();
        assertThat(second).isNotSameAs(first);
        assertThat(second.command("GET", "a")).isEqualTo("1");
        sentinels.heal();

        second.kill9();
        RedisServer third = sentinels.awaitFailoverFrom(second);
        assertThat(third.command("GET", "a")).isEqualTo("1");
        sentinels.heal();
        assertThatThrownBy(() -> second.command("SET", "b", "1")).hasMessageStartingWith("READONLY");
        third.pause();
        assertThat(sentinels.awaitFailoverFrom(third).command("GET", "a")).isEqualTo("1");
    }
}
