package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Faults;
import org.junit.jupiter.api.Test;

/** The layout that clients of different versions share. A change here is a change of the layout's number. */
@Faults(40)
class KeysTest {
    private final Keys keys = new Keys("distributed_lock:");

    @Test
    void keys_areTheDocumentedOnes() {
        assertThat(keys.lock("order:42")).isEqualTo("distributed_lock:order:42");
        assertThat(keys.queue("order:42")).isEqualTo("distributed_lock:~queue:{distributed_lock:order:42}");
        assertThat(keys.tickets("order:42")).isEqualTo("distributed_lock:~tickets:{distributed_lock:order:42}");
        assertThat(keys.fence()).isEqualTo("distributed_lock:~fence");
        assertThat(keys.inbox()).isEqualTo("distributed_lock:~inbox:");
        assertThat(keys.gate("invoice:7")).isEqualTo("distributed_lock:~gate:invoice:7");
    }

    @Test
    void keysOfSharesLatchesQuorumsAndClients_areTheDocumentedOnes() {
        assertThat(keys.holds("a")).isEqualTo("distributed_lock:~holds:{distributed_lock:a}");
        assertThat(keys.latch("a")).isEqualTo("distributed_lock:~latch:{distributed_lock:a}");
        assertThat(keys.waiters("a")).isEqualTo("distributed_lock:~waiters:{distributed_lock:a}");
        assertThat(keys.turn("a")).isEqualTo("distributed_lock:~turn:{distributed_lock:a}");
        assertThat(keys.vouched()).isEqualTo("distributed_lock:~vouched");
        assertThat(keys.client("3gfx0")).isEqualTo("distributed_lock:~client:3gfx0");
        assertThat(keys.isLock(keys.client("3gfx0"))).isFalse();
    }

    /** In a cluster each slot has a counter of its own; elsewhere there is one. */
    @Test
    void counter_isOneForEachSlotOfACluster() {
        Keys spread = Keys.spread("distributed_lock:");
        int slot = Slots.of("distributed_lock:a");

        assertThat(spread.areSpread()).isTrue();
        assertThat(keys.areSpread()).isFalse();
        assertThat(spread.fence("a")).isEqualTo("distributed_lock:~fence:{" + Slots.tag(slot) + "}");
        assertThat(Slots.of(spread.fence("a"))).isEqualTo(slot).isEqualTo(Slots.of(spread.queue("a")));
        assertThat(keys.fence("a")).isEqualTo("distributed_lock:~fence");
    }

    @Test
    void keys_ofANameWithItsOwnTag_keepThatTagAlone() {
        assertThat(keys.lock("order:{42}:x")).isEqualTo("distributed_lock:order:{42}:x");
        assertThat(keys.queue("order:{42}:x")).isEqualTo("distributed_lock:~queue:distributed_lock:order:{42}:x");
        assertThat(keys.tickets("order:{42}:x")).isEqualTo("distributed_lock:~tickets:distributed_lock:order:{42}:x");
    }

    @Test
    void prefix_isWhatEverythingStartsWith() {
        Keys other = new Keys("app:");

        assertThat(other.lock("a")).isEqualTo("app:a");
        assertThat(other.queue("a")).isEqualTo("app:~queue:{app:a}");
        assertThat(other.fence()).isEqualTo("app:~fence");
        assertThat(other.inbox()).isEqualTo("app:~inbox:");
    }

    @Test
    void lockKey_isToldFromSideKeysAndStrangers() {
        assertThat(keys.isLock("distributed_lock:a")).isTrue();
        assertThat(keys.isLock("distributed_lock:a~b")).isTrue();
        assertThat(keys.isLock("distributed_lock:~fence")).isFalse();
        assertThat(keys.isLock(keys.queue("a"))).isFalse();
        assertThat(keys.isLock("other:a")).isFalse();
        assertThat(keys.name("distributed_lock:a:b")).isEqualTo("a:b");
    }
}
