package io.holdfast.simulation.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.util.JedisClusterCRC16;

class SlotsTest {
    private final RedisModel node = new RedisModel(() -> 1_000_000, (channel, message) -> 0);

    @Test
    void slot_isThatOfEveryClient() {
        Random random = new Random(1);
        List<String> keys =
                new java.util.ArrayList<>(List.of("foo", "123456789", "{}x", "a{b}c", "a{b", "{a}{b}", "x{{y}}"));
        for (int i = 0; i < 1_000; i++) {
            keys.add(random.ints(1 + i % 20, 'A', '~')
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString());
        }

        assertThat(keys).allMatch(key -> Slots.of(key) == JedisClusterCRC16.getSlot(key));
    }

    @Test
    void keysOfDifferentSlots_areRefusedByANode() {
        node.joinCluster(slot -> null);

        assertThat(node.execute(List.of("DEL", "a", "b")))
                .hasToString("ErrorReply[message=CROSSSLOT Keys in request don't hash to the same slot]");
        assertThat(node.execute(List.of("EVAL", "return 1", "2", "{x}a", "{x}b")))
                .isEqualTo(1L);
    }

    @Test
    void keyOfAnotherNode_isSentThere() {
        node.joinCluster(slot -> slot == Slots.of("there") ? "127.0.0.1:7001" : null);

        assertThat(node.execute(List.of("GET", "there")))
                .hasToString("ErrorReply[message=MOVED " + Slots.of("there") + " 127.0.0.1:7001]");
        assertThat(node.execute(List.of("GET", "here"))).isNull();
        assertThat(node.execute(List.of("PING"))).hasToString("PONG");
    }
}
