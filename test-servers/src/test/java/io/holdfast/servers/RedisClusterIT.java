package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisClusterIT {
    private final RedisCluster cluster = RedisCluster.start();

    @AfterAll
    void stop() {
        cluster.close();
        assertThat(cluster.nodes()).noneMatch(RedisServer::isRunning);
    }

    @Test
    void slotOnTheMove_asksAndThenIsMoved() {
        int slot = cluster.slot("{m}");
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = cluster.masters().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        from.command("SET", "{m}a", "1");
        from.command("SET", "{m}b", "2");

        RedisCluster.SlotMove move = cluster.beginMove(slot, to).moveKey("{m}a");

        assertThat(from.command("GET", "{m}b")).isEqualTo("2");
        assertThatThrownBy(() -> from.command("GET", "{m}a"))
                .isInstanceOf(RespError.class)
                .hasMessage("ASK " + slot + " 127.0.0.1:" + to.port());
        assertThatThrownBy(() -> from.command("MGET", "{m}a", "{m}b"))
                .isInstanceOf(RespError.class)
                .hasMessageStartingWith("TRYAGAIN");
        move.moveKeys().finish();
        assertThat(cluster.masterOf(slot)).isSameAs(to);
        assertThat(to.command("MGET", "{m}a", "{m}b")).asList().containsExactly("1", "2");
        assertThatThrownBy(() -> from.command("GET", "{m}a")).hasMessageStartingWith("MOVED " + slot);
    }

    /** One after the other, since each needs what the one before has healed. */
    @Test
    void failovers_byCommandAndCrash_promoteTheReplicaWithTheData() {
        int slot = cluster.slot("f");
        RedisServer first = cluster.masterOf(slot);
        first.command("SET", "f", "1");
        RedisServer second = cluster.failover(first, slot);
        assertThat(second.command("GET", "f")).isEqualTo("1");
        cluster.heal();

        second.kill9();
        RedisServer third = cluster.awaitFailoverFrom(second, slot);

        assertThat(third).isSameAs(first);
        assertThat(third.command("GET", "f")).isEqualTo("1");
        cluster.heal();
        assertThat(cluster.replicaOf(third)).isSameAs(second);
    }
}
