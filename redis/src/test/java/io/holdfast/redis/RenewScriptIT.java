package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** renew.lua, reply by reply. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
class RenewScriptIT {

    private final RedisServer redis;
    private final Keys keys = new Keys(Scripts.PREFIX);
    private final Scripts scripts;

    RenewScriptIT(RedisServer.Version version) {
        redis = SharedRedis.empty(version);
        scripts = new Scripts(redis);
    }

    private record Item(String name, String owner, long lease) {}

    private static final List<Long> GONE = List.of(0L, 1L, 0L);

    private @Nullable Object renew(Item... items) {
        List<String> scriptKeys = new ArrayList<>();
        List<String> args = new ArrayList<>(List.of(Integer.toString(items.length)));
        for (Item item : items) {
            scriptKeys.add(keys.lock(item.name()));
            args.add(item.owner());
        }
        for (Item item : items) {
            scriptKeys.add(keys.holds(item.name()));
            args.add(Long.toString(item.lease()));
        }
        return scripts.run(Script.RENEW, scriptKeys, args.toArray(String[]::new));
    }

    @Test
    void renew_byTheHolder_setsTheFullLease() {
        scripts.attempt("a", "c:1:x", 1_000);

        assertThat(renew(new Item("a", "c:1:x", 30_000))).isEqualTo(List.of(1L));
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
    }

    @Test
    void renew_keepsTheToken() {
        scripts.attempt("a", "c:1:x", 1_000);
        Object before = scripts.value("a");

        renew(new Item("a", "c:1:x", 30_000));

        assertThat(scripts.value("a")).isEqualTo(before);
    }

    @Test
    void renew_neverShortens() {
        scripts.attempt("a", "c:1:x", 60_000);

        assertThat(renew(new Item("a", "c:1:x", 1_000))).isEqualTo(List.of(1L));
        assertThat(scripts.lockTtl("a")).isBetween(59_000L, 60_000L);
    }

    @Test
    @Faults({6, 18, 32})
    void renew_ofALockThatIsGone_neverBringsItBack() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.release("a", "c:1:x");

        assertThat(renew(new Item("a", "c:1:x", 30_000))).isEqualTo(GONE);
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    @Faults(6)
    void renew_ofALockThatAnotherHasNow_leavesItAlone() {
        scripts.attempt("a", "c:2:y", 5_000);

        assertThat(renew(new Item("a", "c:1:x", 30_000))).isEqualTo(GONE);
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
        assertThat(scripts.lockTtl("a")).isLessThanOrEqualTo(5_000);
    }

    @Test
    void renew_byAnOwnerWhoseIdOnlyStartsAlike_isRefused() {
        scripts.attempt("a", "c:1:10", 5_000);

        assertThat(renew(new Item("a", "c:1:1", 30_000))).isEqualTo(GONE);
        assertThat(scripts.lockTtl("a")).isLessThanOrEqualTo(5_000);
    }

    @Test
    void batch_ofOneLength_isToldItOnce() {
        scripts.attempt("a", "c:1:a", 1_000);
        scripts.attempt("b", "c:1:b", 1_000);
        scripts.attempt("c", "c:1:c", 1_000);

        assertThat(scripts.run(
                        Script.RENEW,
                        List.of(keys.lock("a"), keys.lock("b"), keys.lock("c")),
                        "3",
                        "c:1:a",
                        "c:1:b",
                        "c:1:c",
                        "30000"))
                .isEqualTo(List.of(3L));
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
        assertThat(scripts.lockTtl("b")).isBetween(29_000L, 30_000L);
        assertThat(scripts.lockTtl("c")).isBetween(29_000L, 30_000L);
    }

    /** As it is sent while the lock's slot is on its way to another node. */
    @Test
    @Faults({6, 36})
    void renew_byTheKeyAlone_renewsWhatIsHeldWholeAndNothingElse() {
        scripts.attempt("a", "c:1:a", 1_000);
        scripts.attempt("b", "c:2:b", 1_000);
        redis.command("ZADD", keys.lock("c"), "1", "c:1:c");

        assertThat(scripts.run(
                        Script.RENEW,
                        List.of(keys.lock("a"), keys.lock("b"), keys.lock("c"), keys.lock("d")),
                        "4",
                        "c:1:a",
                        "c:1:b",
                        "c:1:c",
                        "c:1:d",
                        "30000"))
                .as("one; of the others the second and the fourth are gone, and the third is shared")
                .isEqualTo(List.of(1L, 2L, 0L, 3L, 2L, 4L, 0L));
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
        assertThat(scripts.lockTtl("b")).isLessThanOrEqualTo(1_000);
        assertThat(scripts.ttl(keys.lock("c"))).isEqualTo(-1);
        assertThat(scripts.value("d")).isNull();
    }

    @Test
    @Faults(39)
    void batch_withOneThatIsNoLock_renewsTheOthers() {
        scripts.attempt("a", "c:1:a", 1_000);
        redis.command("HSET", "distributed_lock:b", "f", "v");
        redis.command("SET", "distributed_lock:c", "somebody", "PX", "5000");
        scripts.attempt("d", "c:1:d", 1_000);

        assertThat(renew(
                        new Item("a", "c:1:a", 30_000),
                        new Item("b", "c:1:b", 30_000),
                        new Item("c", "c:1:c", 30_000),
                        new Item("d", "c:1:d", 40_000)))
                .isEqualTo(List.of(2L, 2L, 0L, 3L, 0L));
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
        assertThat(scripts.lockTtl("d")).isBetween(39_000L, 40_000L);
        assertThat(scripts.lockTtl("c")).isLessThanOrEqualTo(5_000);
        assertThat(scripts.ttl("distributed_lock:b")).isEqualTo(-1);
    }

    @Test
    void batch_ofFiveHundred_tellsWhichAreGoneInTheirOrder() {
        List<Item> items = new ArrayList<>();
        List<Long> expected = new ArrayList<>(List.of(0L));
        for (int i = 0; i < 500; i++) {
            boolean held = i % 3 != 0;
            if (held) {
                scripts.attempt("n" + i, "c:1:" + i, 5_000);
            }
            items.add(new Item("n" + i, "c:1:" + i, 30_000));
            if (held) {
                expected.set(0, expected.get(0) + 1);
            } else {
                expected.addAll(List.of(i + 1L, 0L));
            }
        }

        assertThat(renew(items.toArray(Item[]::new))).isEqualTo(expected);
    }
}
