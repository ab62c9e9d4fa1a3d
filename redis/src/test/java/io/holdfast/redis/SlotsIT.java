package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Names;
import io.holdfast.testkit.Faults;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a cluster would keep the keys, asked of a node of one. */
class SlotsIT {
    private static RedisServer node;

    private final Keys keys = Keys.spread("distributed_lock:");

    @BeforeAll
    static void start() {
        node = RedisServer.builder().config("cluster-enabled", "yes").start();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static @Nullable Object slot(String key) {
        return node.command("CLUSTER", "KEYSLOT", key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "order:12345", "{tag}", "order:{42}", "{42}:order", "a{b}c", "锁", "a b", "x~y"})
    @Faults(36)
    void lockAndSideKeys_shareASlot(String name) {
        Names.check(name);

        assertThat(List.of(
                        slot(keys.queue(name)),
                        slot(keys.tickets(name)),
                        slot(keys.holds(name)),
                        slot(keys.fence(name)),
                        (long) keys.slot(name)))
                .containsOnly(slot(keys.lock(name)));
    }

    @Test
    void tagOfAName_decidesTheSlotOfAllItsKeys() {
        Object slot = slot("42");

        for (String name : List.of("order:{42}", "{42}:invoice")) {
            assertThat(List.of(slot(keys.lock(name)), slot(keys.queue(name)), slot(keys.tickets(name))))
                    .containsOnly(slot);
        }
    }

    /** One for each slot, however many locks there are; and the same for every client, whatever its version. */
    @Test
    @Faults(40)
    void counter_isThatOfTheSlot() {
        assertThat(IntStream.range(0, Slots.COUNT).map(slot -> Slots.of("{" + Slots.tag(slot) + "}")))
                .containsExactlyElementsOf(
                        IntStream.range(0, Slots.COUNT).boxed().toList());
        assertThat(keys.fence("order:{42}")).isEqualTo(keys.fence("{42}:invoice"));
        assertThat(keys.fence("{42}")).isEqualTo("distributed_lock:~fence:{42}");
        assertThat(keys.fence("a")).isEqualTo("distributed_lock:~fence:{14079}");
    }

    @Test
    void namesWithoutTag_areSpread() {
        assertThat(slot(keys.lock("a"))).isNotEqualTo(slot(keys.lock("b")));
    }
}
