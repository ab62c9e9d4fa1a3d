package io.holdfast.simulation.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.util.JedisClusterCRC16;

class SlotsTest {
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
    void keyThatIsBroughtOver_keepsTheTimeItHasLeft_byTheClocksOfBoth() {
        RedisModel from = new RedisModel(() -> 1_000_000, (channel, message) -> 0);
        RedisModel to = new RedisModel(() -> 5_000_000, (channel, message) -> 0);
        from.execute(List.of("SET", "a", "1", "PX", "300"));
        from.execute(List.of("SET", "b", "2"));

        List.of("a", "b", "none").forEach(key -> to.take(key, from));

        assertThat(from.keys()).isEmpty();
        assertThat(to.keys()).containsExactlyInAnyOrder("a", "b");
        assertThat(to.value("a")).isEqualTo("1");
        assertThat(to.expiresAtMillis("a")).isEqualTo(5_300);
        assertThat(to.expiresAtMillis("b")).isEqualTo(-1);
    }
}
