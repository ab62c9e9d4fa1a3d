package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.redis.Scripts.Reply;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** lock.lua and renew.lua for locks that are shared, reply by reply. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
class ShareScriptIT {
    private static final String LOCK = "distributed_lock:a";
    private static final String QUEUE = "distributed_lock:~queue:{distributed_lock:a}";
    private static final String TICKETS = "distributed_lock:~tickets:{distributed_lock:a}";
    private static final String HOLDS = "distributed_lock:~holds:{distributed_lock:a}";

    private final RedisServer redis;
    private final Scripts scripts;

    ShareScriptIT(RedisServer.Version version) {
        redis = SharedRedis.empty(version);
        scripts = new Scripts(redis);
    }

    @AfterEach
    void nothingButTheCounterHasNoExpiry() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
        Stream<String> eternal = redis.keys().stream().filter(key -> scripts.ttl(key) == -1);
        assertThat(eternal.filter(key -> !key.startsWith(Scripts.ANY_FENCE) && !key.equals("distributed_lock:foreign")))
                .isEmpty();
    }

    private void nothingIsLeft() {
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    private static List<String> owners(String client, int count) {
        return IntStream.range(0, count).mapToObj(i -> client + ":1:" + i).toList();
    }

    // --- readers and a writer

    @Test
    void readers_readTogether_underTokensThatRise() {
        Reply first = scripts.tryRead("a", "c:1:x", 30_000);
        Reply second = scripts.tryRead("a", "d:1:y", 30_000);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.tokens()).isEqualTo(1);
        assertThat(scripts.state("a")).isEqualTo("r 2 0");
        assertThat(redis.command("HGET", HOLDS, "c:1:x")).isEqualTo(first.token() + " 1");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, HOLDS, Scripts.FENCE);
        assertThat(scripts.giveBack("a", "c:1:x")).isTrue();
        assertThat(scripts.state("a")).isEqualTo("r 1 0");
        assertThat(scripts.giveBack("a", "d:1:y")).isTrue();
        nothingIsLeft();
    }

    @Test
    @Faults(55)
    void writer_waitsForTheLastReader_andIsToldWhenTheFirstShareIsOver() {
        scripts.tryRead("a", "c:1:x", 30_000);
        scripts.tryRead("a", "c:2:y", 10_000);

        assertThat(scripts.attempt("a", "d:1:w", 30_000).code()).isEqualTo(3);
        Reply queued = scripts.queue("a", "d:1:w", 30_000);
        assertThat(queued.left()).isBetween(1L, 10_000L);
        assertThat(queued.place()).isZero();
        assertThat(queued.notified()).isTrue();

        scripts.giveBack("a", "c:2:y");
        assertThat(scripts.sharers("a")).isEqualTo(List.of("c:1:x"));
        scripts.giveBack("a", "c:1:x");
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
        scripts.release("a", "d:1:w");
        nothingIsLeft();
    }

    /** A client that has never shared does not name the key that says who does. */
    @Test
    void release_thatDoesNotNameTheHolds_findsThem() {
        scripts.tryRead("a", "c:1:x", 30_000);

        assertThat(scripts.release("a", "c:1:x")).isTrue();
        nothingIsLeft();
    }

    @Test
    @Faults(55)
    void reader_behindAWriterThatWaits_waits() {
        scripts.tryRead("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:w", 30_000);

        assertThat(scripts.tryRead("a", "e:1:late", 30_000).code()).isEqualTo(3);
        assertThat(scripts.read("a", "e:1:late", 30_000).place()).isEqualTo(1);

        scripts.giveBack("a", "c:1:x");
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
        assertThat(scripts.queued("a")).isEqualTo(List.of("e:1:late"));
        scripts.release("a", "d:1:w");
        assertThat(scripts.sharers("a")).isEqualTo(List.of("e:1:late"));
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, HOLDS, Scripts.FENCE);
    }

    /** Asked again, it neither jumps the queue nor loses its place. */
    @Test
    @Faults(55)
    void reader_behindAWriterThatWaits_keepsWaitingHoweverOftenItAsks() {
        scripts.tryRead("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:w", 30_000);
        scripts.read("a", "e:1:late", 30_000);
        scripts.read("a", "f:1:later", 30_000);

        for (int i = 0; i < 3; i++) {
            assertThat(scripts.read("a", "e:1:late", 30_000).place()).isEqualTo(1);
        }
        assertThat(scripts.state("a")).isEqualTo("r 1 0");
    }

    @Test
    @Faults({45, 55})
    void writerThatLeavesTheQueue_letsTheReadersBehindItIn_upToTheNextWriter() {
        scripts.tryRead("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:w", 30_000);
        scripts.read("a", "e:1:one", 30_000);
        scripts.read("a", "e:2:two", 30_000);
        scripts.queue("a", "d:2:w", 30_000);
        scripts.read("a", "e:3:three", 30_000);

        assertThat(scripts.release("a", "d:1:w")).isFalse();

        assertThat(scripts.sharers("a")).asString().contains("c:1:x", "e:1:one", "e:2:two");
        assertThat(scripts.state("a")).isEqualTo("r 3 0");
        assertThat(scripts.queued("a")).isEqualTo(List.of("d:2:w", "e:3:three"));
    }

    @Test
    @Faults({48, 55})
    void writerWhoseTicketIsOver_standsInNobodysWay() {
        scripts.tryRead("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:w", 30_000);
        scripts.read("a", "e:1:behind", 30_000);
        redis.command("HSET", TICKETS, "d:1:w", "1000 2000 1");

        assertThat(scripts.tryRead("a", "f:1:z", 30_000).code()).isEqualTo(1);
        assertThat(scripts.state("a")).as("and the one before it").isEqualTo("r 3 0");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, HOLDS, Scripts.FENCE);
    }

    @Test
    void release_letsInAllReadersAtTheHead_withOneMessageEach() {
        scripts.attempt("a", "c:1:w", 30_000);
        List<String> readers = List.of("d1:1:x", "d2:1:y", "d3:1:z");
        readers.forEach(reader -> scripts.read("a", reader, 30_000));
        scripts.queue("a", "e:1:w", 30_000);
        scripts.read("a", "d4:1:late", 30_000);
        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");

            scripts.release("a", "c:1:w");
            redis.command("PUBLISH", "distributed_lock:~inbox:end", "no more");

            long lastToken = 0;
            for (String reader : readers) {
                List<?> message = (List<?>) requireNonNull(inbox.read());
                assertThat(message.get(2)).isEqualTo("distributed_lock:~inbox:" + reader.substring(0, 2));
                String[] grant = message.get(3).toString().split(" ");
                assertThat(grant).hasSize(6).startsWith(reader).endsWith(LOCK);
                assertThat(grant[2]).as("tokens").isEqualTo("1");
                assertThat(grant[3]).as("ms").isEqualTo("20000");
                assertThat(redis.command("HGET", HOLDS, reader)).isEqualTo(grant[1] + " 1");
                assertThat(scripts.endOfShare("a", reader))
                        .as("counts from the moment that the message gives")
                        .isEqualTo(Long.parseLong(grant[4]) / 1_000 + Scripts.SHARE_GRANT);
                assertThat(Long.parseLong(grant[1])).isGreaterThan(lastToken);
                lastToken = Long.parseLong(grant[1]);
            }
            assertThat((List<?>) requireNonNull(inbox.read())).last().isEqualTo("no more");
        }
        assertThat(scripts.queued("a")).isEqualTo(List.of("e:1:w", "d4:1:late"));
    }

    @Test
    void grant_ofAShare_isConfirmedByTheNextAsk_withTheSameTokenAndTheFullLease() {
        scripts.attempt("a", "c:1:w", 30_000);
        scripts.read("a", "d:1:x", 30_000);
        scripts.release("a", "c:1:w");
        Object hold = redis.command("HGET", HOLDS, "d:1:x");
        assertThat(scripts.lockTtl("a")).isBetween(1L, 20_001L);

        Reply confirmed = scripts.read("a", "d:1:x", 30_000);

        assertThat(hold).isEqualTo(confirmed.token() + " 1");
        assertThat(scripts.lockTtl("a")).isBetween(25_000L, 30_001L);
    }

    /** One run grants to 64; the next is told to ask, and its run lets in the others. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 130})
    @Faults(44)
    void release_withManyReadersInLine_letsIn64AndTellsTheNextToAsk(int waiting) {
        scripts.attempt("a", "c:1:w", 30_000);
        List<String> readers = owners("d", waiting);
        readers.forEach(reader -> scripts.read("a", reader, 30_000));
        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");

            scripts.release("a", "c:1:w");
            redis.command("PUBLISH", "distributed_lock:~inbox:end", "no more");

            for (int i = 0; i < 64; i++) {
                assertThat(text(inbox)).startsWith(readers.get(i) + " ").hasSizeGreaterThan(40);
            }
            if (waiting > 64) {
                assertThat(text(inbox)).isEqualTo(readers.get(64) + " " + LOCK);
            }
            assertThat(text(inbox)).isEqualTo("no more");
        }
        assertThat(scripts.state("a")).isEqualTo("r 64 0");
        for (int next = 64; next < waiting; next += 65) {
            assertThat(scripts.read("a", readers.get(next), 30_000).code()).isEqualTo(1);
        }
        assertThat(scripts.state("a")).isEqualTo("r " + waiting + " 0");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, HOLDS, Scripts.FENCE);
        readers.forEach(reader -> assertThat(scripts.giveBack("a", reader)).isTrue());
        nothingIsLeft();
    }

    @Test
    @Faults(48)
    void deadTicketsBetweenReaders_areClearedBoundedlyInOneRun() {
        scripts.attempt("a", "c:1:w", 30_000);
        List<String> readers = owners("d", 5);
        readers.forEach(reader -> scripts.read("a", reader, 30_000));
        for (int i = 0; i < 5; i++) {
            redis.command("ZADD", QUEUE, Integer.toString(100 * i + 99), readers.get(i));
            for (int dead = 0; dead < 40; dead++) {
                redis.command("ZADD", QUEUE, Integer.toString(100 * i + dead), "dead:" + i + ":" + dead);
            }
        }

        scripts.release("a", "c:1:w");

        assertThat(scripts.state("a")).as("the first reader is let in").isEqualTo("r 1 0");
        assertThat(scripts.queued("a")).as("one run clears 64").hasSize(5 * 41 - 1 - 64);
        for (int run = 0; run < 3; run++) {
            scripts.read("a", readers.get(4), 30_000);
        }
        assertThat(scripts.state("a")).isEqualTo("r 5 0");
        assertThat(scripts.queued("a")).isEmpty();
    }

    private static String text(Resp inbox) {
        return String.valueOf(((List<?>) requireNonNull(inbox.read())).get(3));
    }

    /** Nobody has released it, and the one who finds it free is the last of them. It used to wait in vain. */
    @Test
    @Faults({43, 44})
    void lockThatIsFoundFree_withManyReadersInLine_letsThemInRunByRun() {
        scripts.attempt("a", "c:1:w", 30_000);
        List<String> readers = owners("d", 100);
        readers.forEach(reader -> scripts.read("a", reader, 30_000));
        redis.command("DEL", LOCK);

        assertThat(scripts.read("a", readers.get(99), 30_000).code())
                .as("ask again at once")
                .isEqualTo(7);
        assertThat(scripts.state("a")).isEqualTo("r 64 0");
        assertThat(scripts.tryRead("a", "e:1:late", 30_000).code())
                .as("lets in the others first")
                .isEqualTo(1);
        assertThat(scripts.state("a")).isEqualTo("r 101 0");
        assertThat(scripts.read("a", readers.get(99), 30_000).code()).isEqualTo(1);
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, HOLDS, Scripts.FENCE);
    }

    // --- the same again

    @Test
    @Faults(15)
    void acquire_repeatedByASharer_answersWithTheSameTokenAndAFullLease() {
        Reply first = scripts.tryPermits("a", "c:1:x", 20_000, 2, 3);

        Reply again = scripts.tryPermits("a", "c:1:x", 30_000, 2, 3);

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.tokens()).isEqualTo(1);
        assertThat(scripts.state("a")).as("counted once").isEqualTo("p 2 3");
        assertThat(scripts.endOfShare("a", "c:1:x")).isEqualTo(again.now() / 1_000 + 30_000);
        assertThat(scripts.lockTtl("a")).isBetween(25_000L, 30_001L);
        assertThat(scripts.ttl(HOLDS)).isBetween(25_000L, 30_001L);
    }

    @Test
    @Faults(15)
    void acquire_repeatedByASharer_neverShortens() {
        Reply first = scripts.tryRead("a", "c:1:x", 60_000);

        scripts.tryRead("a", "c:1:x", 1_000);

        assertThat(scripts.endOfShare("a", "c:1:x")).isEqualTo(first.now() / 1_000 + 60_000);
        assertThat(scripts.lockTtl("a")).isBetween(55_000L, 60_001L);
    }

    @Test
    @Faults({15, 55})
    void acquire_repeatedByASharer_isNotHeldUpByAWriterThatWaits() {
        Reply first = scripts.tryRead("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:w", 30_000);

        assertThat(scripts.tryRead("a", "c:1:x", 30_000).token()).isEqualTo(first.token());
    }

    @Test
    @Faults({19, 56})
    void release_ofAShare_repeated_hasNoSecondEffect() {
        scripts.tryPermits("a", "c:1:x", 30_000, 2, 3);
        scripts.tryPermits("a", "c:2:y", 30_000, 1, 3);

        assertThat(scripts.giveBack("a", "c:1:x")).isTrue();
        assertThat(scripts.giveBack("a", "c:1:x")).isFalse();
        assertThat(scripts.giveBack("a", "z:1:stranger")).isFalse();

        assertThat(scripts.state("a")).isEqualTo("p 1 3");
    }

    @Test
    void share_ofAnOwnerWhoseIdOnlyStartsAlike_isNotItsOwn() {
        scripts.tryRead("a", "c:1:10", 30_000);

        assertThat(scripts.giveBack("a", "c:1:1")).isFalse();
        assertThat(scripts.renew("a", "c:1:1", 60_000)).isZero();
        assertThat(scripts.lockTtl("a")).isLessThanOrEqualTo(30_001);
    }

    // --- what is over

    @Test
    @Faults(55)
    void deadReader_isClearedByWhoeverComes_andTheWriterGetsIn() {
        scripts.tryRead("a", "c:1:dead", 30_000);
        scripts.tryRead("a", "c:2:dead", 30_000);
        scripts.endShares("a", List.of("c:1:dead", "c:2:dead"));

        assertThat(scripts.attempt("a", "d:1:w", 30_000).code()).isEqualTo(1);
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
    }

    @Test
    @Faults(55)
    void deadReader_besideALivingOne_isCleared_andTheWriterStillWaits() {
        scripts.tryRead("a", "c:1:dead", 30_000);
        scripts.tryRead("a", "c:2:living", 20_000);
        scripts.endShares("a", List.of("c:1:dead"));

        assertThat(scripts.queue("a", "d:1:w", 30_000).left()).isBetween(15_000L, 20_000L);

        assertThat(scripts.sharers("a")).isEqualTo(List.of("c:2:living"));
        assertThat(scripts.state("a")).isEqualTo("r 1 0");
        assertThat(redis.command("HGET", HOLDS, "c:1:dead")).isNull();
    }

    @Test
    @Faults({6, 55})
    void deadShare_isNeitherRenewedNorReleasedNorFoundAgain() {
        long dead = scripts.tryRead("a", "c:1:dead", 30_000).token();
        scripts.tryRead("a", "c:2:living", 30_000);
        scripts.endShares("a", List.of("c:1:dead"));

        assertThat(scripts.renew("a", "c:1:dead", 60_000)).isZero();
        assertThat(scripts.lockTtl("a")).isLessThanOrEqualTo(30_001);
        assertThat(scripts.giveBack("a", "c:1:dead")).isFalse();
        assertThat(scripts.tryRead("a", "c:1:dead", 30_000).token()).isGreaterThan(dead);
    }

    /** Nobody has to come twice: whoever finds the dead lets in those who wait, a release of nothing included. */
    @Test
    @Faults({43, 55})
    void deadReader_foundByARelease_letsInTheWriterThatWaits() {
        scripts.tryRead("a", "c:1:dead", 30_000);
        scripts.queue("a", "d:1:w", 30_000);
        scripts.endShares("a", List.of("c:1:dead"));

        assertThat(scripts.giveBack("a", "c:1:dead")).isFalse();

        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
    }

    @Test
    @Faults(56)
    void deadHolder_givesItsPermitsBack() {
        scripts.tryPermits("a", "c:1:dead", 30_000, 2, 3);
        scripts.tryPermits("a", "c:2:living", 30_000, 1, 3);
        assertThat(scripts.tryPermits("a", "c:3:z", 30_000, 2, 3).code()).isEqualTo(3);
        scripts.endShares("a", List.of("c:1:dead"));

        assertThat(scripts.tryPermits("a", "c:3:z", 30_000, 2, 3).code()).isEqualTo(1);
        assertThat(scripts.state("a")).isEqualTo("p 3 3");
        assertThat(scripts.tryPermits("a", "c:4:z", 30_000, 1, 3).code()).isEqualTo(3);
    }

    @Test
    @Faults({48, 56})
    void permitsOfOneThatDied_foundByARelease_goToTheFirstThatHears_ifTheDeadOneStoodFirstInLine() {
        Scripts counted = scripts.listening();
        counted.tryPermits("a", "dead:1:x", 30_000, 1, 2);
        counted.tryPermits("a", "c2:1:y", 30_000, 1, 2);
        counted.permits("a", "dead:2:x", 30_000, 1, 2);
        counted.permits("a", "dead:3:x", 30_000, 1, 2);
        counted.permits("a", "c3:1:z", 30_000, 2, 2);
        counted.hasBeenSilent("a", "dead:2:x");
        counted.hasBeenSilent("a", "dead:3:x");
        counted.endShares("a", List.of("dead:1:x"));

        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("SUBSCRIBE", "distributed_lock:~inbox:c3");
            assertThat(counted.release("a", "c2:1:y")).isTrue();

            assertThat(counted.sharers("a")).isEqualTo(List.of("c3:1:z"));
        }
        assertThat(counted.release("a", "c3:1:z")).isTrue();
        assertThat(counted.sharers("a")).isEmpty();
        assertThat(counted.permits("a", "dead:3:x", 30_000, 1, 2).code()).isEqualTo(1);
    }

    /** Nobody has died: they were free all the time, and too few for who gives up. */
    @Test
    @Faults(56)
    void permitsThatSomebodyGivesUpWaitingFor_goToTheNextInLine_whetherItHearsOrNot() {
        Scripts counted = scripts.listening();
        counted.tryPermits("a", "c2:1:y", 30_000, 3, 4);
        counted.permits("a", "c3:1:z", 30_000, 2, 4);
        counted.permits("a", "deaf:2:x", 30_000, 1, 4);
        counted.hasBeenSilent("a", "deaf:2:x");

        assertThat(counted.release("a", "c3:1:z")).isFalse();
        assertThat(counted.sharers("a")).asList().contains("deaf:2:x");
    }

    @Test
    @Faults({48, 56})
    void permitsThatAreGivenBack_goToTheFirstInLine_whetherItHearsOrNot() {
        Scripts counted = scripts.listening();
        counted.tryPermits("a", "c2:1:y", 30_000, 2, 2);
        counted.permits("a", "dead:2:x", 30_000, 1, 2);
        counted.hasBeenSilent("a", "dead:2:x");

        assertThat(counted.release("a", "c2:1:y")).isTrue();
        assertThat(counted.sharers("a")).isEqualTo(List.of("dead:2:x"));
    }

    /** One run clears 64 of the dead. If all are dead, nothing of the lock is left; it used to fail there. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 150})
    @Faults({48, 55})
    void manyDeadReaders_areCleared_andTheWriterGetsIn(int dead) {
        List<String> readers = owners("c", dead);
        readers.forEach(reader -> scripts.tryRead("a", reader, 30_000));
        scripts.endShares("a", readers);

        int asks = 1;
        while (scripts.queue("a", "d:1:w", 30_000).code() != 1) {
            assertThat(++asks).isLessThanOrEqualTo(1 + dead / 64);
        }
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
        scripts.release("a", "d:1:w");
        nothingIsLeft();
    }

    @Test
    @Faults({48, 55})
    void manyDeadReaders_besideALivingOne_areClearedBoundedly() {
        List<String> readers = owners("c", 150);
        readers.forEach(reader -> scripts.tryRead("a", reader, 30_000));
        scripts.tryRead("a", "d:1:living", 30_000);
        scripts.endShares("a", readers);

        assertThat(scripts.queue("a", "e:1:w", 30_000).left())
                .as("ask again at once")
                .isLessThanOrEqualTo(0);
        assertThat(scripts.state("a")).isEqualTo("r 87 0");
        assertThat(scripts.queue("a", "e:1:w", 30_000).left()).isLessThanOrEqualTo(0);
        assertThat(scripts.queue("a", "e:1:w", 30_000).left()).isBetween(25_000L, 30_000L);
        assertThat(scripts.state("a")).isEqualTo("r 1 0");
        scripts.giveBack("a", "d:1:living");
        assertThat(scripts.holder("a")).isEqualTo("e:1:w");
    }

    @Test
    void keysOfASharedLock_endWithTheLastShare() {
        scripts.tryRead("a", "c:1:x", 10_000);
        scripts.tryRead("a", "c:2:y", 40_000);
        scripts.tryRead("a", "c:3:z", 20_000);
        for (String key : List.of(LOCK, HOLDS)) {
            assertThat(scripts.ttl(key)).isBetween(35_000L, 40_001L);
        }

        scripts.giveBack("a", "c:2:y");

        for (String key : List.of(LOCK, HOLDS)) {
            assertThat(scripts.ttl(key)).isBetween(15_000L, 20_001L);
        }
    }

    @Test
    @Faults(55)
    void lastShare_expiresWithTheKeys_andTheWriterInLineGetsIn() {
        scripts.tryRead("a", "c:1:x", 100);
        scripts.queue("a", "d:1:w", 30_000);

        Until.until(() -> scripts.queue("a", "d:1:w", 30_000).code() == 1);

        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
    }

    // --- renewal

    @Test
    void renew_ofAShare_setsItsFullLease_andLeavesTheOthersAlone() {
        scripts.tryRead("a", "c:1:x", 20_000);
        long other = scripts.tryRead("a", "c:2:y", 25_000).now() / 1_000 + 25_000;
        Object hold = redis.command("HGET", HOLDS, "c:1:x");

        assertThat(scripts.renew("a", "c:1:x", 60_000)).isEqualTo(1);

        assertThat(scripts.endOfShare("a", "c:1:x") - other).isBetween(35_000L, 60_000L);
        assertThat(scripts.endOfShare("a", "c:2:y")).isEqualTo(other);
        assertThat(scripts.lockTtl("a")).isBetween(55_000L, 60_001L);
        assertThat(scripts.ttl(HOLDS)).isBetween(55_000L, 60_001L);
        assertThat(redis.command("HGET", HOLDS, "c:1:x")).isEqualTo(hold);
    }

    @Test
    void renew_ofAShare_neverShortens_neitherItselfNorTheKeys() {
        long end = scripts.tryRead("a", "c:1:x", 60_000).now() / 1_000 + 60_000;
        scripts.tryRead("a", "c:2:y", 20_000);

        assertThat(scripts.renew("a", "c:1:x", 1_000)).isEqualTo(1);
        assertThat(scripts.renew("a", "c:2:y", 25_000)).isEqualTo(1);

        assertThat(scripts.endOfShare("a", "c:1:x")).isEqualTo(end);
        assertThat(scripts.lockTtl("a")).isBetween(55_000L, 60_001L);
        assertThat(scripts.ttl(HOLDS)).isBetween(55_000L, 60_001L);
    }

    @Test
    @Faults({6, 18})
    void renew_ofAShareThatWasGivenBack_bringsNothingBack() {
        scripts.tryRead("a", "c:1:x", 30_000);
        scripts.tryRead("a", "c:2:y", 30_000);
        scripts.giveBack("a", "c:1:x");
        assertThat(scripts.renew("a", "c:1:x", 30_000)).isZero();
        scripts.giveBack("a", "c:2:y");

        assertThat(scripts.renew("a", "c:2:y", 30_000)).isZero();
        nothingIsLeft();
    }

    // --- permits

    @Test
    @Faults(56)
    void permits_areNeverMoreThanThereAre_andComeBack() {
        assertThat(scripts.tryPermits("a", "c:1:x", 30_000, 2, 3).code()).isEqualTo(1);
        assertThat(scripts.tryPermits("a", "c:2:y", 30_000, 2, 3).code()).isEqualTo(3);
        assertThat(scripts.tryPermits("a", "c:3:z", 30_000, 1, 3).code()).isEqualTo(1);
        assertThat(scripts.tryPermits("a", "c:4:z", 30_000, 1, 3).code()).isEqualTo(3);

        scripts.giveBack("a", "c:1:x");
        assertThat(scripts.state("a")).isEqualTo("p 1 3");
        assertThat(scripts.tryPermits("a", "c:2:y", 30_000, 2, 3).code()).isEqualTo(1);
        scripts.giveBack("a", "c:2:y");
        scripts.giveBack("a", "c:3:z");
        nothingIsLeft();
    }

    @Test
    @Faults({49, 56})
    void waiterForSeveral_isNotOvertaken_andAReleaseLetsInAsManyAsFit() {
        scripts.tryPermits("a", "c:1:x", 30_000, 2, 3);
        scripts.tryPermits("a", "c:2:y", 30_000, 1, 3);
        scripts.permits("a", "d:1:greedy", 30_000, 2, 3);
        scripts.permits("a", "d:2:modest", 30_000, 1, 3);
        scripts.permits("a", "d:3:modest", 30_000, 1, 3);

        scripts.giveBack("a", "c:2:y");
        assertThat(scripts.queued("a")).hasSize(3);
        assertThat(scripts.tryPermits("a", "e:1:late", 30_000, 1, 3).code()).isEqualTo(3);
        scripts.giveBack("a", "c:1:x");

        assertThat(scripts.queued("a")).isEqualTo(List.of("d:3:modest"));
        assertThat(scripts.state("a")).isEqualTo("p 3 3");
    }

    // --- permits of one client in a row

    /** Those who are given a permit when one is given back, as their clients are told. */
    private List<String[]> grantsWhen(Runnable givesBack, int count) {
        List<String[]> grants = new ArrayList<>();
        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");
            givesBack.run();
            for (int i = 0; i < count; i++) {
                grants.add(((List<?>) requireNonNull(inbox.read()))
                        .get(3)
                        .toString()
                        .split(" "));
            }
        }
        return grants;
    }

    private void inLineForPermits(int of, String... owners) {
        for (String owner : owners) {
            assertThat(scripts.permitInARow("a", owner, of).code()).isEqualTo(2);
        }
    }

    @Test
    @Faults({49, 56})
    void grantOfAPermit_namesThoseOfTheSameClientDirectlyBehind_andHasTokensForMore() {
        redis.command("SET", Scripts.FENCE, "1");
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 1);
        inLineForPermits(1, "c2:1:y", "c2:2:y", "c2:3:y", "c:9:z", "c2:4:y");

        String[] grant = grantsWhen(() -> scripts.giveBack("a", "c1:1:x"), 1).get(0);

        assertThat(grant).startsWith("c2:1:y").contains("64,2:y,3:y").hasSize(6);
        assertThat(redis.command("HGET", HOLDS, "c2:1:y")).isEqualTo(grant[1] + "+63 1");
        Reply again = scripts.permitInARow("a", "c2:1:y", 1);
        assertThat(again.token()).isEqualTo(Long.parseLong(grant[1]));
        assertThat(again.tokens()).isEqualTo(64);
        assertThat(scripts.state("a")).isEqualTo("p 1 1");
    }

    /** Those before it are told of nobody: whoever stood behind them has just been served. */
    @Test
    @Faults(56)
    void grantOfSeveralPermits_namesThoseBehindTheLast_andEachHasItsTokens() {
        redis.command("SET", Scripts.FENCE, "1");
        scripts.tryPermits("a", "c1:1:x", 30_000, 2, 3);
        scripts.tryPermits("a", "c1:2:x", 30_000, 1, 3);
        inLineForPermits(3, "c2:1:y", "c2:2:y", "c2:3:y", "c2:4:y");

        List<String[]> grants = grantsWhen(() -> scripts.giveBack("a", "c1:1:x"), 2);

        assertThat(grants.get(0)).startsWith("c2:1:y").contains("64");
        assertThat(grants.get(1)).startsWith("c2:2:y").contains("64,3:y,4:y");
        assertThat(Long.parseLong(grants.get(1)[1])).isGreaterThanOrEqualTo(Long.parseLong(grants.get(0)[1]) + 64);
    }

    @Test
    void newcomerForAPermit_isToldWhomItStandsBehind_orThatItIsTheFirst() {
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 2);
        scripts.tryPermits("a", "c2:1:x", 30_000, 1, 2);

        assertThat(scripts.permitInARow("a", "c2:1:y", 2).before()).isEmpty();
        assertThat(scripts.permitInARow("a", "c2:2:y", 2).before()).isEqualTo("c2:1:y");
        assertThat(scripts.permitInARow("a", "c2:1:y", 2).before())
                .as("who was there before keeps what it was told")
                .isNull();
        assertThat(scripts.permits("a", "c2:3:y", 30_000, 1, 2).before())
                .as("who asks for a token of its own does not follow")
                .isNull();
    }

    /** Where it is not as simple as that all are out, the answer is the same. */
    @Test
    void newcomerForAPermit_behindOneThatWantsMoreThanIsFree_isToldTheSame() {
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 2);
        scripts.permits("a", "c3:1:greedy", 30_000, 2, 2);

        assertThat(scripts.permitInARow("a", "c2:1:y", 2).before()).isEqualTo("c3:1:greedy");
        assertThat(scripts.permitInARow("a", "c2:2:y", 2).before()).isEqualTo("c2:1:y");
        scripts.giveBack("a", "c3:1:greedy");
        assertThat(scripts.sharers("a")).hasSize(2);
    }

    @Test
    @Faults({45, 56})
    void release_takesTheTicketsOfThoseWhoWereServedAlong_andThePermitsThatTheyWereGiven() {
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 2);
        scripts.tryPermits("a", "c2:1:x", 30_000, 1, 2);
        inLineForPermits(2, "c2:1:y", "c2:2:y", "c2:3:y", "c3:1:z", "c3:2:z", "c3:3:z");
        scripts.giveBack("a", "c1:1:x");
        assertThat(redis.command("HGET", HOLDS, "c2:1:y")).isNotNull();

        assertThat(scripts.giveBack("a", "c2:1:x", "c2:1:y", "c2:2:y", "c2:3:y"))
                .isTrue();

        assertThat(scripts.sharers("a").stream().map(Object::toString)).containsExactlyInAnyOrder("c3:1:z", "c3:2:z");
        assertThat(scripts.state("a")).isEqualTo("p 2 2");
        assertThat(scripts.queued("a")).isEqualTo(List.of("c3:3:z"));
        assertThat(scripts.tickets("a")).isEqualTo(1);
        assertThat(scripts.giveBack("a", "c2:1:x", "c3:1:z", "c3:2:z", "c3:3:z"))
                .as("it had none any more")
                .isFalse();
        nothingIsLeft();
    }

    /** Whoever holds one is not to pass it on within its client any more. */
    @Test
    @Faults(56)
    void fewerPermits_areToldToThoseWhoHoldSome_andMoreAreNot() {
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 2);
        scripts.tryPermits("a", "c2:1:y", 30_000, 1, 2);
        scripts.resize("a", 3);

        List<String[]> told = grantsWhen(() -> scripts.resize("a", 1), 2);

        assertThat(told).allMatch(news -> news.length == 2 && news[1].equals(LOCK));
        assertThat(told).extracting(news -> news[0]).containsExactlyInAnyOrder("c1:1:x", "c2:1:y");
    }

    @Test
    void togetherForPermits_doesForEachWhatItWouldHaveGotAlone() {
        redis.command("SET", Scripts.FENCE, "1");
        scripts.tryPermits("a", "c1:1:x", 30_000, 1, 1);
        inLineForPermits(1, "c3:1:z");

        List<Reply> replies = scripts.permitsTogether("a", Scripts.NO_HURRY, 1, "c2:1:y", "c2:2:y", "c2:3:y");

        assertThat(replies).extracting(Reply::code).containsExactly(2L, 2L, 2L);
        assertThat(replies).extracting(Reply::place).containsExactly(1L, 2L, 3L);
        assertThat(replies).extracting(Reply::before).containsExactly("c3:1:z", "c2:1:y", "c2:2:y");
        assertThat(scripts.queued("a")).isEqualTo(List.of("c3:1:z", "c2:1:y", "c2:2:y", "c2:3:y"));
        scripts.giveBack("a", "c1:1:x");
        assertThat(grantsWhen(() -> scripts.giveBack("a", "c3:1:z"), 1).get(0)[2])
                .isEqualTo("64,2:y,3:y");
    }

    /** What is not simple is left to whoever asks alone. */
    @Test
    @Faults({16, 56})
    void togetherForPermits_doesNothingUnlessAllAreToWait() {
        assertThat(scripts.permitsTogether("a", Scripts.NO_HURRY, 2, "c2:1:y", "c2:2:y"))
                .as("free")
                .isEmpty();
        scripts.tryPermits("a", "c2:1:y", 30_000, 1, 2);
        assertThat(scripts.permitsTogether("a", Scripts.NO_HURRY, 2, "c2:3:y", "c2:4:y"))
                .as("one is free")
                .isEmpty();
        scripts.tryPermits("a", "c2:2:y", 30_000, 1, 2);
        assertThat(scripts.permitsTogether("a", Scripts.NO_HURRY, 2, "c2:3:y", "c2:2:y"))
                .as("one of them has one")
                .isEmpty();
        assertThat(scripts.permitsTogether("a", Scripts.NO_HURRY, 3, "c2:3:y", "c2:4:y"))
                .as("another number")
                .isEmpty();
        assertThat(scripts.permitsTogether("a", "1", 2, "c2:3:y", "c2:4:y"))
                .as("one is too late")
                .isEmpty();
        scripts.endShares("a", List.of("c2:1:y"));
        assertThat(scripts.permitsTogether("a", Scripts.NO_HURRY, 2, "c2:3:y", "c2:4:y"))
                .as("the time of one is over")
                .isEmpty();
        assertThat(scripts.queued("a")).isEmpty();
    }

    @Test
    @Faults(56)
    void permitsOfAnotherNumber_areRefused_andLeaveNothing() {
        scripts.tryPermits("a", "c:1:x", 30_000, 1, 3);

        assertThat(scripts.permits("a", "d:1:y", 30_000, 1, 5).permits()).isEqualTo(3);
        assertThat(scripts.tryPermits("a", "d:1:y", 30_000, 1, 2).permits()).isEqualTo(3);
        assertThat(scripts.queued("a")).isEmpty();
        assertThat(scripts.state("a")).isEqualTo("p 1 3");
    }

    @Test
    @Faults(56)
    void readersAndWriters_ofASemaphore_areRefused() {
        scripts.tryPermits("a", "c:1:x", 30_000, 1, 3);

        assertThat(scripts.read("a", "d:1:r", 30_000).permits()).isEqualTo(3);
        assertThat(scripts.queue("a", "d:1:w", 30_000).permits()).isEqualTo(3);
        assertThat(scripts.attempt("a", "d:1:w", 30_000).permits()).isEqualTo(3);
        assertThat(scripts.queued("a")).isEmpty();
    }

    @Test
    @Faults(56)
    void permits_ofALock_areRefused() {
        scripts.tryRead("a", "c:1:r", 30_000);
        assertThat(scripts.permits("a", "d:1:y", 30_000, 1, 3).permits()).isZero();
        scripts.giveBack("a", "c:1:r");

        scripts.attempt("a", "c:1:w", 30_000);
        assertThat(scripts.permits("a", "d:1:y", 30_000, 1, 3).permits()).isZero();
        assertThat(scripts.tryPermits("a", "d:1:y", 30_000, 1, 3).permits()).isZero();
        scripts.release("a", "c:1:w");

        nothingIsLeft();
    }

    /** Who asks finds it free, and others in line who mean something else: they come first, and then it is told. */
    @Test
    @Faults(56)
    void permitsOfAnotherNumber_askedForBehindThoseInLine_areNotGranted() {
        scripts.tryPermits("a", "c:1:x", 30_000, 3, 3);
        scripts.permits("a", "d:1:y", 30_000, 1, 3);
        redis.command("DEL", LOCK, HOLDS);

        Reply reply = scripts.tryPermits("a", "e:1:z", 30_000, 1, 5);

        assertThat(scripts.sharers("a")).isEqualTo(List.of("d:1:y"));
        assertThat(reply.permits()).isEqualTo(3);
        assertThat(scripts.state("a")).isEqualTo("p 1 3");
    }

    // --- more of them, or fewer

    @Test
    @Faults(56)
    void resize_toMore_letsInThoseWhoWait() {
        scripts.tryPermits("a", "c:1:x", 30_000, 1, 1);
        scripts.permits("a", "d:1:y", 30_000, 1, 1);
        scripts.permits("a", "d:2:z", 30_000, 1, 1);

        assertThat(scripts.resize("a", 2)).isTrue();

        assertThat(scripts.state("a")).isEqualTo("p 2 2");
        assertThat(scripts.queued("a")).isEqualTo(List.of("d:2:z"));
        assertThat(scripts.tryPermits("a", "e:1:z", 30_000, 1, 1).permits()).isEqualTo(2);
    }

    @Test
    @Faults(56)
    void resize_toFewer_takesNothingAway_andGrantsNothingUntilThereIsRoom() {
        scripts.tryPermits("a", "c:1:x", 30_000, 2, 3);
        scripts.tryPermits("a", "c:2:y", 30_000, 1, 3);

        assertThat(scripts.resize("a", 1)).isTrue();

        assertThat(scripts.state("a")).isEqualTo("p 3 1");
        assertThat(scripts.renew("a", "c:1:x", 30_000)).isEqualTo(1);
        scripts.permits("a", "d:1:z", 30_000, 1, 1);
        scripts.giveBack("a", "c:1:x");
        assertThat(scripts.state("a")).isEqualTo("p 1 1");
        assertThat(scripts.queued("a")).isEqualTo(List.of("d:1:z"));
        scripts.giveBack("a", "c:2:y");
        assertThat(scripts.sharers("a")).isEqualTo(List.of("d:1:z"));
        assertThat(scripts.state("a")).isEqualTo("p 1 1");
    }

    @Test
    void resize_ofWhatIsNoSemaphore_changesNothing() {
        assertThat(scripts.resize("a", 5)).isFalse();
        assertThat(redis.keys()).isEmpty();

        scripts.tryRead("a", "c:1:r", 30_000);
        assertThat(scripts.resize("a", 5)).isFalse();
        assertThat(scripts.state("a")).isEqualTo("r 1 0");
        scripts.giveBack("a", "c:1:r");

        Object token = scripts.attempt("a", "c:1:w", 30_000).token();
        assertThat(scripts.resize("a", 5)).isFalse();
        assertThat(scripts.value("a")).isEqualTo("hf1:c:1:w:" + token);
    }

    @Test
    @Faults(56)
    void resize_ofASemaphoreWhoseHoldersAreDead_leavesNothing() {
        scripts.tryPermits("a", "c:1:dead", 30_000, 1, 3);
        scripts.endShares("a", List.of("c:1:dead"));

        assertThat(scripts.resize("a", 5)).isFalse();
        nothingIsLeft();
    }

    // --- exchange

    @Test
    @Faults(55)
    void writerThatGoesOnReading_passesAllWhoWait() {
        long token = scripts.attempt("a", "c:1:w", 30_000).token();
        scripts.queue("a", "d:1:w", 30_000);
        scripts.read("a", "d:2:r", 30_000);

        Reply reply = scripts.exchangeToRead("a", "c:1:w", "c:1:r");

        assertThat(reply.gaveUp()).isTrue();
        assertThat(reply.token()).isGreaterThan(token);
        assertThat(scripts.sharers("a")).isEqualTo(List.of("c:1:r"));
        assertThat(scripts.queued("a")).isEqualTo(List.of("d:1:w", "d:2:r"));
        assertThat(scripts.lockTtl("a")).isBetween(25_000L, 30_001L);
    }

    @Test
    @Faults(55)
    void writerThatGoesOnReading_letsInTheReadersAtTheHead() {
        scripts.attempt("a", "c:1:w", 30_000);
        scripts.read("a", "d:1:r", 30_000);
        scripts.read("a", "d:2:r", 30_000);
        scripts.queue("a", "e:1:w", 30_000);

        scripts.exchangeToRead("a", "c:1:w", "c:1:r");

        assertThat(scripts.state("a")).isEqualTo("r 3 0");
        assertThat(scripts.queued("a")).isEqualTo(List.of("e:1:w"));
    }

    @Test
    @Faults({15, 55})
    void writerThatGoesOnReading_repeated_hasNoSecondEffect() {
        scripts.attempt("a", "c:1:w", 30_000);
        long token = scripts.exchangeToRead("a", "c:1:w", "c:1:r").token();

        Reply again = scripts.exchangeToRead("a", "c:1:w", "c:1:r");

        assertThat(again.gaveUp()).isFalse();
        assertThat(again.token()).isEqualTo(token);
        assertThat(scripts.state("a")).isEqualTo("r 1 0");
    }

    @Test
    @Faults({17, 55})
    void writerThatHasLostTheLock_andGoesOnReading_passesNobody() {
        scripts.attempt("a", "c:1:w", 30_000);
        scripts.queue("a", "d:1:w", 30_000);
        redis.command("DEL", LOCK);

        assertThat(scripts.exchangeToRead("a", "c:1:w", "c:1:r").code()).isEqualTo(3);
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
    }

    /** Others may have written since, so it must not read on as if nothing had been. */
    @Test
    @Faults({17, 55})
    void writerThatHasLostTheLock_doesNotGoOnReading_thoughItIsFree() {
        scripts.attempt("a", "c:1:w", 30_000);
        redis.command("DEL", LOCK);

        assertThat(scripts.exchangeToRead("a", "c:1:w", "c:1:r").code()).isEqualTo(3);
        nothingIsLeft();
    }

    /** If it gave up the whole first, somebody could write before it is tried again. */
    @Test
    @Faults({16, 55})
    void writerThatGoesOnReading_tooLate_keepsWhatItHas() {
        scripts.attempt("a", "c:1:w", 30_000);
        scripts.queue("a", "d:1:w", 30_000);

        assertThat(scripts.exchangeToRead("a", "c:1:w", "c:1:r", "1").code()).isEqualTo(4);

        assertThat(scripts.holder("a")).isEqualTo("c:1:w");
        assertThat(scripts.exchangeToRead("a", "c:1:w", "c:1:r").gaveUp()).isTrue();
        assertThat(scripts.sharers("a")).isEqualTo(List.of("c:1:r"));
    }

    /** Readers that hand on what they have would otherwise keep a writer out for ever. */
    @Test
    @Faults({49, 55})
    void readerThatHandsOnItsShare_doesNotPassAWriterThatWaits() {
        scripts.tryRead("a", "c:1:r", 30_000);
        scripts.queue("a", "d:1:w", 30_000);

        Reply reply = scripts.exchangeToRead("a", "c:1:r", "c:2:r");

        assertThat(reply.gaveUp()).isTrue();
        assertThat(reply.code()).isEqualTo(3);
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
    }

    @Test
    @Faults({45, 56})
    void permitsGivenUp_forSomethingThatIsRefused_goToThoseWhoWait() {
        scripts.tryPermits("a", "c:1:x", 30_000, 1, 2);
        scripts.tryPermits("a", "c:2:y", 30_000, 1, 2);
        scripts.permits("a", "d:1:z", 30_000, 1, 2);

        Reply reply = scripts.exchangeToPermits("a", "c:1:x", "c:3:x", 1, 5);

        assertThat(reply.gaveUp()).isTrue();
        assertThat(reply.permits()).isEqualTo(2);
        assertThat(scripts.sharers("a")).asString().contains("c:2:y", "d:1:z");
        assertThat(scripts.queued("a")).isEmpty();
    }

    // --- what is not ours

    @ParameterizedTest
    @ValueSource(strings = {"RPUSH %s v", "HSET %s f v", "ZADD %s 1 v", "ZADD %s 9000000000000 v", "SADD %s v"})
    @Faults(39)
    void keyOfAnotherType_isAnErrorAndLeftAlone(String command) {
        redis.command(command.formatted("distributed_lock:foreign").split(" "));
        Object before = redis.command("DUMP", "distributed_lock:foreign");

        for (Runnable ask : List.<Runnable>of(
                () -> scripts.read("foreign", "c:1:x", 30_000),
                () -> scripts.tryRead("foreign", "c:1:x", 30_000),
                () -> scripts.permits("foreign", "c:1:x", 30_000, 1, 3),
                () -> scripts.exchangeToRead("foreign", "c:1:w", "c:1:x"),
                () -> scripts.queue("foreign", "c:1:x", 30_000))) {
            assertThatExceptionOfType(RespError.class).isThrownBy(ask::run).withMessageContaining("WRONGTYPE");
        }
        assertThat(scripts.giveBack("foreign", "c:1:x")).isFalse();
        assertThat(scripts.renew("foreign", "c:1:x", 30_000)).isZero();
        assertThat(scripts.resize("foreign", 3)).isFalse();

        assertThat(redis.command("DUMP", "distributed_lock:foreign")).isEqualTo(before);
        assertThat(scripts.ttl("distributed_lock:foreign")).isEqualTo(-1);
        assertThat(redis.keys()).containsExactly("distributed_lock:foreign");
    }

    @Test
    @Faults(39)
    void foreignValue_keepsReadersOut() {
        redis.command("SET", LOCK, "somebody", "PX", "20000");

        assertThat(scripts.tryRead("a", "c:1:x", 30_000).code()).isEqualTo(3);
        Reply reply = scripts.read("a", "c:1:x", 30_000);

        assertThat(reply.left()).isBetween(10_000L, 20_000L);
        assertThat(reply.notified()).isFalse();
        assertThat(scripts.value("a")).isEqualTo("somebody");
    }

    @Test
    @Faults(39)
    void keyWithoutExpiry_isReportedToReadersToo() {
        redis.command("SET", "distributed_lock:foreign", "somebody");

        assertThat(scripts.read("foreign", "c:1:x", 30_000).code()).isEqualTo(5);
        assertThat(redis.keys()).containsExactly("distributed_lock:foreign");
    }

    @Test
    @Faults(39)
    void keyOfAnotherType_whereTheSharesAreKept_isAnErrorAndLeavesNoLock() {
        redis.command("SET", HOLDS, "somebody", "PX", "20000");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> scripts.tryRead("a", "c:1:x", 30_000))
                .withMessageContaining("WRONGTYPE");

        assertThat(redis.command("GET", HOLDS)).isEqualTo("somebody");
        assertThat(redis.keys()).containsExactlyInAnyOrder(HOLDS, Scripts.FENCE);
    }

    /** What a lock that was deleted by hand has left behind is nobody's share of the next. */
    @Test
    @Faults(32)
    void lockDeletedByHand_isGone_andWhatItLeftBehindCountsForNothing() {
        scripts.tryPermits("a", "c:1:x", 30_000, 2, 2);
        redis.command("DEL", LOCK);

        assertThat(scripts.renew("a", "c:1:x", 30_000)).isZero();
        assertThat(scripts.giveBack("a", "c:1:x")).isFalse();
        assertThat(scripts.tryPermits("a", "c:2:y", 30_000, 3, 3).code()).isEqualTo(1);
        assertThat(scripts.state("a")).isEqualTo("p 3 3");
        scripts.giveBack("a", "c:2:y");
        nothingIsLeft();
    }

    // --- numbers

    @Test
    @Faults(58)
    void share_whenNoTokenCanFollow_isRefusedAndLeavesNothing() {
        redis.command("SET", Scripts.FENCE, "9007199254740991");

        assertThat(scripts.read("a", "c:1:x", 30_000).code()).isEqualTo(6);
        assertThat(scripts.tryPermits("a", "c:1:x", 30_000, 1, 3).code()).isEqualTo(6);
        nothingIsLeft();
    }

    @Test
    @Faults(58)
    void tokensOfShares_nearTwoToThe53_areExactToTheLastDigit() {
        redis.command("SET", Scripts.FENCE, "9007199254740988");
        scripts.attempt("a", "c:1:w", 30_000);
        scripts.read("a", "d:1:x", 30_000);
        scripts.read("a", "d:2:y", 30_000);
        scripts.read("a", "d:3:z", 30_000);

        scripts.release("a", "c:1:w");

        assertThat(redis.command("HGET", HOLDS, "d:1:x")).isEqualTo("9007199254740990 1");
        assertThat(redis.command("HGET", HOLDS, "d:2:y")).isEqualTo("9007199254740991 1");
        assertThat(redis.command("HGET", HOLDS, "d:3:z")).isNull();
        assertThat(scripts.state("a")).isEqualTo("r 2 0");
    }

    @Test
    @Faults(56)
    void permits_asManyAsAnIntHolds_areCounted() {
        int all = Integer.MAX_VALUE;
        assertThat(scripts.tryPermits("a", "c:1:x", 30_000, all - 1, all).code())
                .isEqualTo(1);
        assertThat(scripts.tryPermits("a", "c:2:y", 30_000, 2, all).code()).isEqualTo(3);
        assertThat(scripts.tryPermits("a", "c:2:y", 30_000, 1, all).code()).isEqualTo(1);
        assertThat(scripts.state("a")).isEqualTo("p 2147483647 2147483647");
    }

    // --- out of memory

    @Test
    @Faults(34)
    void outOfMemory_sharesAreRenewedAndGivenBack_andThoseWhoWaitGetIn() {
        scripts.tryRead("a", "c:1:x", 20_000);
        scripts.tryRead("a", "c:2:y", 20_000);
        scripts.queue("a", "d:1:w", 30_000);
        scripts.read("a", "d:2:r", 30_000);
        redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThat(scripts.renew("a", "c:1:x", 60_000)).isEqualTo(1);
        assertThat(scripts.lockTtl("a")).isBetween(55_000L, 60_001L);
        assertThat(scripts.giveBack("a", "c:1:x")).isTrue();
        assertThat(scripts.giveBack("a", "c:2:y")).isTrue();
        assertThat(scripts.holder("a")).isEqualTo("d:1:w");
        assertThat(scripts.release("a", "d:1:w")).isTrue();
        assertThat(scripts.sharers("a")).isEqualTo(List.of("d:2:r"));
        assertThat(scripts.read("a", "d:2:r", 30_000).code())
                .as("what was granted is confirmed")
                .isEqualTo(1);
        assertThat(scripts.giveBack("a", "d:2:r")).isTrue();
        nothingIsLeft();
    }

    @Test
    @Faults(34)
    void outOfMemory_nothingNewIsShared_andNothingIsHalfDone() {
        scripts.tryPermits("a", "c:1:x", 30_000, 1, 2);
        List<String> before = new ArrayList<>(redis.keys());
        redis.command("CONFIG", "SET", "maxmemory", "1");

        for (Runnable ask : List.<Runnable>of(
                () -> scripts.tryPermits("a", "d:1:y", 30_000, 1, 2),
                () -> scripts.permits("a", "d:1:y", 30_000, 2, 2),
                () -> scripts.tryRead("b", "d:1:y", 30_000),
                () -> scripts.resize("a", 5))) {
            assertThatExceptionOfType(RespError.class).isThrownBy(ask::run).withMessageContaining("OOM");
        }

        assertThat(scripts.state("a")).isEqualTo("p 1 2");
        assertThat(redis.keys()).containsExactlyInAnyOrderElementsOf(before);
        assertThat(scripts.ttl(QUEUE)).isEqualTo(-2);
    }
}
