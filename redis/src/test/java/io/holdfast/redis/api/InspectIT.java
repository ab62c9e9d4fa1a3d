package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.LockInfo;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InspectIT {
    private final RedisServer redis = SharedRedis.empty();
    private final Holdfast locks = Holdfast.connect(redis.uri());

    @AfterEach
    void close() {
        locks.close();
    }

    private List<String> names(String pattern) {
        return locks.inspect(pattern).stream().map(LockInfo::name).sorted().toList();
    }

    @Test
    void nothingHeld_isAnEmptyList() throws Exception {
        locks.lock("a").acquire(Duration.ZERO).close();

        assertThat(locks.inspect("*")).isEmpty();
    }

    private static Duration age(LockInfo.Party party) {
        return party.age().orElseThrow();
    }

    @Test
    void sinceWhen_isTold_andRenewalDoesNotChangeIt() throws Exception {
        locks.lock("other").acquire(Duration.ZERO).close(); // so that there is a counter
        Instant before = now();
        try (Lease lease = locks.lock("a", o -> o.lease(Duration.ofSeconds(2))).acquire(Duration.ZERO)) {
            LockInfo.Party first = locks.inspect("a").get(0).holders().get(0);
            assertThat(first.token()).hasValue(lease.token());
            // The counter of a fresh server starts two seconds ahead of its clock; then it is what the clock says now.
            assertThat(first.since().orElseThrow()).isBetween(before, now());
            until(() -> age(locks.inspect("a").get(0).holders().get(0)).toMillis() > 2_100);

            LockInfo.Party later = locks.inspect("a").get(0).holders().get(0);
            assertThat(lease.isValid()).as("renewed").isTrue();
            assertThat(later.owner()).isEqualTo(first.owner());
            assertThat(Duration.between(
                            first.since().orElseThrow(), later.since().orElseThrow()))
                    .isLessThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void thoseWhoWait_areToldInOrder_withHowLong() throws Exception {
        try (Holdfast second = Holdfast.connect(redis.uri());
                Holdfast third = Holdfast.connect(redis.uri());
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            Future<Boolean> one = Crowd.start(() -> second.lock("a").tryLock(Duration.ofSeconds(20))
                    && second.lock("a").unlock());
            until(() -> locks.inspect("a").get(0).line().size() == 1);
            Future<Boolean> two = Crowd.start(() -> third.lock("a").tryLock(Duration.ofSeconds(20)));
            until(() -> locks.inspect("a").get(0).line().size() == 2);

            LockInfo info = locks.inspect("a").get(0);
            assertThat(info.line()).extracting(LockInfo.Party::owner).isEqualTo(info.waiters());
            assertThat(age(info.line().get(0))).isGreaterThan(age(info.line().get(1)));
            assertThat(age(info.line().get(1))).isBetween(Duration.ZERO, Duration.ofSeconds(20));
            assertThat(info.line()).allMatch(waiter -> waiter.token().isEmpty());

            lease.release();
            assertThat(Crowd.get(one)).isTrue();
            assertThat(Crowd.get(two)).isTrue();
        }
    }

    @Test
    void thoseWhoShare_areToldEachWithTokenAndAge() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("a");
        try (Lease one = lock.readLock().acquire(Duration.ZERO);
                Lease two = lock.readLock().acquire(Duration.ZERO)) {
            LockInfo info = locks.inspect("a").get(0);
            assertThat(info.holders()).extracting(LockInfo.Party::owner).isEqualTo(info.sharedBy());
            assertThat(info.holders().stream().map(holder -> holder.token().orElseThrow()))
                    .containsExactlyInAnyOrder(one.token(), two.token());
            assertThat(info.holders()).allMatch(holder -> !age(holder).isNegative());
        }
    }

    private Instant now() {
        List<?> time = (List<?>) requireNonNull(redis.command("TIME"));
        return Instant.ofEpochSecond(Long.parseLong(String.valueOf(time.get(0))))
                .plusNanos(1_000 * Long.parseLong(String.valueOf(time.get(1))));
    }

    @Test
    void heldLock_isDescribed() throws Exception {
        try (Lease lease = locks.lock("order:1").acquire(Duration.ZERO)) {
            assertThat(locks.inspect("order:1")).singleElement().satisfies(info -> {
                assertThat(info.name()).isEqualTo("order:1");
                assertThat(info.token()).hasValue(lease.token());
                assertThat(info.owner())
                        .hasValueSatisfying(owner -> assertThat(redis.command("GET", "distributed_lock:order:1"))
                                .isEqualTo("hf1:" + owner + ":" + lease.token()));
                assertThat(info.remaining()).isBetween(Duration.ofSeconds(28), Duration.ofSeconds(30));
                assertThat(info.waiters()).isEmpty();
            });
        }
    }

    @Test
    void waiters_areListedFirstComeFirst() throws Exception {
        List<Future<Boolean>> waiters = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            for (int i = 1; i <= 3; i++) {
                int place = i;
                Holdfast client = Holdfast.connect(redis.uri());
                clients.add(client);
                waiters.add(Crowd.start(() -> {
                    client.lock("a").lock();
                    return client.lock("a").unlock();
                }));
                until(() -> locks.inspect("a").get(0).waiters().size() == place);
            }
            List<String> inLine = locks.inspect("a").get(0).waiters();
            assertThat(redis.command("ZRANGE", "distributed_lock:~queue:{distributed_lock:a}", "0", "-1"))
                    .isEqualTo(inLine);
            assertThat(inLine).hasSize(3).doesNotHaveDuplicates();
            assertThat(lease.isValid()).isTrue();
        }
        for (Future<Boolean> waiter : waiters) {
            assertThat(Crowd.get(waiter)).isTrue();
        }
        clients.forEach(Holdfast::close);
    }

    @Test
    void sharedLock_isShownWithThoseWhoShareItAndThoseWhoWait() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("a");
        Lease first = lock.readLock().acquire(Duration.ZERO);
        Lease second = locks.readWriteLock("a", o -> o.lease(Duration.ofSeconds(60)))
                .readLock()
                .acquire(Duration.ZERO);
        Future<Boolean> writer = Crowd.start(() -> {
            lock.writeLock().lock();
            return lock.writeLock().unlock();
        });
        until(() -> locks.inspect("a").get(0).waiters().size() == 1);

        assertThat(locks.inspect("*")).singleElement().satisfies(info -> {
            assertThat(info.name()).isEqualTo("a");
            assertThat(info.owner()).isEmpty();
            assertThat(info.token()).isEmpty();
            assertThat(info.sharedBy())
                    .isEqualTo(redis.command("ZRANGE", "distributed_lock:a", "0", "-1"))
                    .hasSize(2)
                    .doesNotHaveDuplicates();
            assertThat(info.waiters())
                    .isEqualTo(redis.command("ZRANGE", "distributed_lock:~queue:{distributed_lock:a}", "0", "-1"))
                    .doesNotContainAnyElementsOf(info.sharedBy());
            assertThat(info.remaining())
                    .as("the last of the leases")
                    .isBetween(Duration.ofSeconds(55), Duration.ofSeconds(61));
        });

        assertThat(second.release()).isTrue();
        assertThat(locks.inspect("a").get(0).sharedBy()).hasSize(1);
        assertThat(first.release()).isTrue();
        assertThat(Crowd.get(writer)).isTrue();
        assertThat(locks.inspect("*")).isEmpty();
    }

    @Test
    @Faults(56)
    void semaphore_isShownWithThoseWhoHavePermits_andWithoutTheDead() throws Exception {
        Lease dead = locks.semaphore(
                        "s", 3, o -> o.lease(Duration.ofMillis(200)).renewal(false))
                .acquire(2, Duration.ZERO);
        try (Lease living = locks.semaphore("s", 3).acquire(1, Duration.ZERO)) {
            until(() -> locks.inspect("s").get(0).sharedBy().size() == 1);

            assertThat(dead.isValid()).isFalse();
            assertThat(living.isValid()).isTrue();
            assertThat(locks.inspect("s").get(0).owner()).isEmpty();
            assertThat(locks.inspect("s").get(0).waiters()).isEmpty();
        }
        assertThat(locks.inspect("*")).isEmpty();
    }

    @Test
    @Faults(39)
    void lockOfAnother_isShownWithItsTextAndWithoutToken() {
        redis.command("SET", "distributed_lock:theirs", "some-uuid", "PX", "5000");

        assertThat(locks.inspect("theirs")).singleElement().satisfies(info -> {
            assertThat(info.owner()).hasValue("some-uuid");
            assertThat(info.token()).isEmpty();
            assertThat(info.remaining()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
        });
    }

    @Test
    @Faults(39)
    void keyWithoutExpiry_isShownWithNothingLeft() {
        redis.command("SET", "distributed_lock:theirs", "v");

        assertThat(locks.inspect("*"))
                .singleElement()
                .satisfies(info -> assertThat(info.remaining()).isZero());
    }

    @Test
    @Faults(40)
    void lockOfALaterLayout_isShownAsItIs() {
        redis.command("SET", "distributed_lock:later", "hf2:a:b:17", "PX", "5000");

        assertThat(locks.inspect("*")).singleElement().satisfies(info -> {
            assertThat(info.owner()).hasValue("hf2:a:b:17");
            assertThat(info.token()).isEmpty();
        });
    }

    /** It used to make the whole inspection fail. */
    @Test
    @Faults(39)
    void somethingThatIsNoLock_hidesNoOther() throws Exception {
        redis.command("HSET", "distributed_lock:hash", "f", "v");
        redis.command("RPUSH", "distributed_lock:list", "v");
        redis.command("ZADD", "distributed_lock:zset", "9000000000000", "v");
        try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(names("*")).containsExactly("a");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "*, 'a?b,a[c]d,axb,order:1,order:2,x^y'",
        "order:*, 'order:1,order:2'",
        "*:2, order:2",
        "order:1, order:1",
        "order, ''",
        "a?b, a?b",
        "a[c]d, a[c]d",
        "x^y, x^y",
        "a*b, 'a?b,axb'",
        "nothing*, ''",
    })
    void pattern_meansItselfButForTheStar(String pattern, String expected) throws Exception {
        List<String> all = List.of("a?b", "a[c]d", "axb", "order:1", "order:2", "x^y");
        for (String name : all) {
            locks.lock(name).acquire(Duration.ZERO);
        }

        assertThat(String.join(",", names(pattern))).isEqualTo(expected);
    }

    @Test
    void otherKeys_areNotShown() throws Exception {
        redis.command("SET", "distributed_lock", "v");
        redis.command("SET", "other:a", "v");
        redis.command("SET", "distributed_lock:~gate:a", "17");
        try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(names("*")).containsExactly("a");
        }
    }

    @Test
    void manyLocks_areAllFoundOnce() throws Exception {
        List<String> command = new ArrayList<>(List.of("MSET"));
        for (int i = 0; i < 2_000; i++) {
            command.add("distributed_lock:n" + i);
            command.add("v");
        }
        redis.command(command.toArray(String[]::new));

        assertThat(names("*")).hasSize(2_000).doesNotHaveDuplicates();
        assertThat(names("n19*")).hasSize(111);
    }

    /** Each page of a scan used to stand on the stack of those before it. */
    @Test
    void bigDatabase_isReadToItsEndOnASmallStack() throws Exception {
        try (RedisServer big = RedisServer.start();
                Holdfast reader = Holdfast.connect(big.uri());
                Lease lease = reader.lock("a").acquire(Duration.ZERO)) {
            big.command("DEBUG", "POPULATE", "100000", "one", "1");
            big.command("DEBUG", "POPULATE", "100000", "two", "1");
            FutureTask<List<LockInfo>> read = new FutureTask<>(() -> reader.inspect("*"));

            new Thread(null, read, "small", 200_000).start();

            assertThat(Crowd.get(read))
                    .singleElement()
                    .satisfies(info -> assertThat(info.token()).hasValue(lease.token()));
        }
    }

    @Test
    void inspection_changesNothing() throws Exception {
        try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            Object value = redis.command("GET", "distributed_lock:a");
            redis.command("CONFIG", "RESETSTAT");

            locks.inspect("*");

            assertThat(redis.command("GET", "distributed_lock:a")).isEqualTo(value);
            assertThat(redis.commandStats()).doesNotContainKeys("set", "del", "pexpire", "zadd", "hset", "keys");
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void closedClient_isATypedError() {
        locks.close();

        assertThatExceptionOfType(ClientClosedException.class).isThrownBy(() -> locks.inspect("*"));
        assertThatExceptionOfType(ClientClosedException.class).isThrownBy(locks::health);
    }

    @Test
    @Faults(50)
    void serverThatIsNotThere_isATypedError() {
        try (Holdfast none = Holdfast.connect("redis://127.0.0.1:1")) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> none.inspect("*"))
                    .withMessageContaining("redis://127.0.0.1:1");
        }
    }
}
