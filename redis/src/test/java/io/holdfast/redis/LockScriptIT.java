package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.redis.Scripts.Reply;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import io.holdfast.testkit.Faults;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** lock.lua, reply by reply. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
class LockScriptIT {
    private static final String LOCK = "distributed_lock:a";
    private static final String QUEUE = "distributed_lock:~queue:{distributed_lock:a}";
    private static final String TICKETS = "distributed_lock:~tickets:{distributed_lock:a}";

    private final RedisServer redis;
    private final Scripts scripts;

    LockScriptIT(RedisServer.Version version) {
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

    // --- tokens in a row

    /** On a server that is new it starts ahead of the clock, and no tokens are reserved. */
    private void counterIsBehindTheClock() {
        redis.command("SET", Scripts.FENCE, "1");
    }

    @Test
    void acquire_ofSeveralTokens_reservesThemInARow() {
        counterIsBehindTheClock();
        long before = scripts.attempt("b", "c:1:w", 30_000).token();

        Reply reply = scripts.reserve("a", "c:1:x", 64);

        assertThat(reply.tokens()).isEqualTo(64);
        assertThat(reply.token()).isGreaterThan(before);
        assertThat(scripts.value("a")).isEqualTo("hf1:c:1:x:" + reply.token() + "+63");
        assertThat(scripts.attempt("d", "c:1:y", 30_000).token()).isGreaterThan(reply.token() + 63);
    }

    @Test
    @Faults(15)
    void acquire_repeatedByTheHolder_answersWithTheSameTokensHoweverManyItAsksFor() {
        counterIsBehindTheClock();
        Reply first = scripts.reserve("a", "c:1:x", 64);

        Reply again = scripts.reserve("a", "c:1:x", 5);

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.tokens()).isEqualTo(64);
    }

    @Test
    void acquire_ofSeveralTokens_whoseCounterIsFarAheadOfTheClock_getsOne() {
        long now = scripts.attempt("b", "c:1:w", 30_000).now();
        redis.command("SET", Scripts.FENCE, Long.toString(now + 5_000_000));

        assertThat(scripts.reserve("a", "c:1:x", 64).tokens()).isEqualTo(1);
        assertThat(scripts.value("a")).isEqualTo("hf1:c:1:x:" + (now + 5_000_001));
    }

    @Test
    void release_grantsTheNextAsManyTokensAsItsTicketSays() {
        counterIsBehindTheClock();
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.reserve("a", "c:2:y", 64);

        scripts.release("a", "c:1:x");

        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
        assertThat(scripts.reserve("a", "c:2:y", 1).tokens()).isEqualTo(64);
    }

    // --- exchange

    @Test
    void exchange_withNobodyInLine_givesTheLockToTheNext() {
        long token = scripts.attempt("a", "c:1:x", 30_000).token();

        Reply reply = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY);

        assertThat(reply.gaveUp()).isTrue();
        assertThat(reply.token()).isGreaterThan(token);
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
    }

    @Test
    @Faults(49)
    void exchange_withOthersInLine_givesTheLockToTheFirstOfThem() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:z", 30_000);
        scripts.queue("a", "e:1:z", 30_000);

        Reply reply = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY);

        assertThat(reply.gaveUp()).isTrue();
        assertThat(reply.place()).isEqualTo(1);
        assertThat(scripts.holder("a")).isEqualTo("d:1:z");
        assertThat(scripts.queued("a")).asString().isEqualTo("[e:1:z, c:2:y]");
    }

    @Test
    @Faults({15, 19})
    void exchange_repeated_hasNoSecondEffect() {
        scripts.attempt("a", "c:1:x", 30_000);
        long token = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY).token();

        Reply again = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY);

        assertThat(again.gaveUp()).isFalse();
        assertThat(again.token()).isEqualTo(token);
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
    }

    @Test
    @Faults(17)
    void exchange_byOneWhoHasLostTheLock_touchesNobody() {
        scripts.attempt("a", "d:1:z", 30_000);

        Reply reply = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY);

        assertThat(reply.gaveUp()).isFalse();
        assertThat(reply.code()).isEqualTo(2);
        assertThat(scripts.holder("a")).isEqualTo("d:1:z");
    }

    @Test
    @Faults(45)
    void exchange_ofATicket_keepsItsPlace() {
        scripts.attempt("a", "d:1:z", 30_000);
        scripts.queue("a", "c:1:x", 30_000);
        scripts.queue("a", "e:1:z", 30_000);

        Reply reply = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY);

        assertThat(reply.place()).isZero();
        assertThat(scripts.queued("a")).asString().isEqualTo("[c:2:y, e:1:z]");
        assertThat(scripts.tickets("a")).isEqualTo(2);
    }

    /** It was first in line, and so is who takes its place. */
    @Test
    @Faults({44, 54})
    void exchange_ofTheFirstTicket_whenTheLockIsFree_isGrantedBeforeThoseBehindIt() {
        scripts.attempt("a", "d:1:z", 30_000);
        scripts.queue("a", "c:1:x", 30_000);
        scripts.queue("a", "e:1:z", 30_000);
        redis.command("DEL", "distributed_lock:a");

        Reply reply = scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY);

        assertThat(reply.code()).isEqualTo(1);
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
        assertThat(scripts.queued("a")).asString().isEqualTo("[e:1:z]");
    }

    @Test
    @Faults(39)
    void exchange_ofATicket_whoseTokenCannotBeGiven_leavesNoLineThatStaysForEver() {
        scripts.attempt("a", "d:1:z", 30_000);
        scripts.queue("a", "c:1:x", 30_000);
        redis.command("DEL", "distributed_lock:a", Scripts.FENCE);
        redis.command("LPUSH", Scripts.FENCE, "no counter");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> scripts.exchange("a", "c:1:x", "c:2:y", Scripts.NO_HURRY))
                .withMessageContaining("WRONGTYPE");

        assertThat(scripts.queued("a")).asString().isEqualTo("[c:2:y]");
        assertThat(redis.keys().stream().filter(key -> scripts.ttl(key) == -1)).containsExactly(Scripts.FENCE);
    }

    /** Whoever is let in meanwhile would be told that those behind it stand directly behind. */
    @Test
    @Faults({44, 54})
    void exchange_ofATicket_whenTheLockIsFree_keepsItsPlaceBeforeThoseOfTheFirstInLine() {
        scripts.attempt("a", "d:1:z", 30_000);
        inLine("c2:1:y", "c:1:x", "c2:2:y");
        redis.command("DEL", "distributed_lock:a");
        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");

            assertThat(scripts.exchange("a", "c:1:x", "c:2:x", Scripts.NO_HURRY).code())
                    .isEqualTo(2);

            String[] grant =
                    ((List<?>) requireNonNull(inbox.read())).get(3).toString().split(" ");
            assertThat(grant).startsWith("c2:1:y").doesNotContain("64,2:y");
        }
        assertThat(scripts.queued("a")).isEqualTo(List.of("c:2:x", "c2:2:y"));
    }

    @Test
    @Faults(16)
    void exchange_thatComesTooLate_givesUpAndPassesOn_andAsksForNothing() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "d:1:z", 30_000);

        Reply reply = scripts.exchange("a", "c:1:x", "c:2:y", "1000");

        assertThat(reply.code()).isEqualTo(4);
        assertThat(reply.gaveUp()).isTrue();
        assertThat(scripts.holder("a")).isEqualTo("d:1:z");
        assertThat(scripts.queued("a")).isEmpty();
    }

    // --- acquire

    @Test
    void acquire_ofAFreeLock_setsAPlainStringWithItsExpiry() {
        Reply reply = scripts.attempt("a", "c:1:x", 30_000);

        assertThat(scripts.value("a")).isEqualTo("hf1:c:1:x:" + reply.token());
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
    }

    @Test
    void acquire_ofAHeldLock_withoutWaiting_isBusyAndLeavesNothing() {
        scripts.attempt("a", "c:1:x", 30_000);

        assertThat(scripts.attempt("a", "c:2:y", 30_000).code()).isEqualTo(3);
        assertThat(scripts.holder("a")).isEqualTo("c:1:x");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
    }

    @Test
    void acquire_ofAHeldLock_waiting_leavesATicketThatExpires() {
        scripts.attempt("a", "c:1:x", 30_000);

        Reply reply = scripts.queue("a", "c:2:y", 30_000);

        assertThat(reply.code()).isEqualTo(2);
        assertThat(reply.left()).isBetween(29_000L, 30_000L);
        assertThat(reply.place()).isZero();
        assertThat(reply.notified()).isTrue();
        assertThat(scripts.ttl(QUEUE)).isBetween(8_000L, 12_000L);
        assertThat(scripts.ttl(TICKETS)).isBetween(8_000L, 12_000L);
        assertThat(redis.command("HGET", TICKETS, "c:2:y"))
                .asString()
                .isEqualTo((reply.now() / 1_000 + 6_000) + " 2000 1");
    }

    @Test
    void acquire_byOwnersInTurn_putsThemInLineInThatOrder() {
        scripts.attempt("a", "c:1:x", 30_000);

        for (int i = 0; i < 20; i++) {
            assertThat(scripts.queue("a", "c:2:" + i, 30_000).place()).isEqualTo(i);
        }
    }

    @Test
    void acquire_again_keepsThePlaceAndRefreshesTheTicket() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        scripts.queue("a", "c:3:z", 30_000);
        redis.command("HSET", TICKETS, "c:2:y", "1000 2000 1");

        Reply again = scripts.queue("a", "c:2:y", 30_000);

        assertThat(again.place()).isZero();
        assertThat(redis.command("HGET", TICKETS, "c:2:y"))
                .asString()
                .isEqualTo((again.now() / 1_000 + 6_000) + " 2000 1");
        assertThat(scripts.queued("a")).hasSize(2);
    }

    @Test
    @Faults(15)
    void acquire_repeatedByTheHolder_answersWithTheSameTokenAndAFullLease() {
        long token = scripts.attempt("a", "c:1:x", 30_000).token();
        redis.command("PEXPIRE", LOCK, "500");

        assertThat(scripts.attempt("a", "c:1:x", 30_000).token()).isEqualTo(token);
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
    }

    @Test
    @Faults(15)
    void acquire_repeatedByTheHolder_neverShortens() {
        scripts.attempt("a", "c:1:x", 60_000);

        scripts.attempt("a", "c:1:x", 1_000);

        assertThat(scripts.lockTtl("a")).isBetween(59_000L, 60_000L);
    }

    @Test
    void acquire_repeatedByTheHolder_bringsBackAnExpiryThatWasTakenAway() {
        scripts.attempt("a", "c:1:x", 30_000);
        redis.command("PERSIST", LOCK);

        assertThat(scripts.attempt("a", "c:1:x", 30_000).code()).isEqualTo(1);
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
    }

    @Test
    void acquire_byAnOwnerWhoseIdOnlyStartsAlike_isRefused() {
        scripts.attempt("a", "c:1:10", 30_000);

        assertThat(scripts.attempt("a", "c:1:1", 30_000).code()).isEqualTo(3);
        assertThat(scripts.attempt("a", "c:1:10:", 30_000).code()).isEqualTo(3);
        assertThat(scripts.release("a", "c:1:1")).isFalse();
        assertThat(scripts.holder("a")).isEqualTo("c:1:10");
    }

    @Test
    @Faults(16)
    void acquire_thatComesTooLate_changesNothing() {
        Reply reply = scripts.acquire("a", "c:1:x", 30_000, "1000", 6_000, 2_000);

        assertThat(reply.code()).isEqualTo(4);
        assertThat(reply.now()).isGreaterThan(1_700_000_000_000_000L);
        assertThat(redis.keys()).isEmpty();
    }

    @Test
    @Faults(16)
    void acquire_thatComesTooLate_neitherQueuesNorExtends() {
        scripts.attempt("a", "c:1:x", 30_000);
        redis.command("PEXPIRE", LOCK, "5000");

        assertThat(scripts.acquire("a", "c:1:x", 30_000, "1000", 0, 2_000).code())
                .isEqualTo(4);
        assertThat(scripts.acquire("a", "c:2:y", 30_000, "1000", 6_000, 2_000).code())
                .isEqualTo(4);
        assertThat(scripts.lockTtl("a")).isLessThanOrEqualTo(5_000);
        assertThat(scripts.queued("a")).isEmpty();
    }

    @Test
    @Faults(16)
    void acquire_atTheVeryMoment_isNotTooLate() {
        long soon = scripts.attempt("b", "c:1:x", 1_000).now() + 10_000_000;

        assertThat(scripts.acquire("a", "c:1:x", 30_000, Long.toString(soon), 0, 2_000)
                        .code())
                .isEqualTo(1);
    }

    // --- the short way

    /** As long as a token of the present time. */
    private void counterIsBehindTheClockAsMostlyItIs() {
        redis.command("SET", Scripts.FENCE, "1700000000000000");
    }

    @Test
    void shortWay_setsThePlainString_andItsTokenIsTheTime() {
        counterIsBehindTheClockAsMostlyItIs();

        Reply reply = scripts.attempt("a", "c:1:x", 30_000);

        assertThat(reply.token()).isEqualTo(reply.now());
        assertThat(reply.now()).isBetween(1_000 * serverMillis() - 5_000_000, 1_000 * (serverMillis() + 1));
        assertThat(scripts.value("a")).isEqualTo("hf1:c:1:x:" + reply.token());
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(reply.token()));
        assertThat(scripts.ttl(Scripts.FENCE)).isEqualTo(-1);
        assertThat(scripts.release("a", "c:1:y")).isFalse();
        assertThat(scripts.release("a", "c:1:x")).isTrue();
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    /** As it is for two seconds after the first lock of a server, and whenever a lock is had very often. */
    @Test
    void shortWay_isTakenToo_whileTheCounterIsAheadOfTheClock() {
        long ahead = 1_000 * serverMillis() + 60_000_000;
        redis.command("SET", Scripts.FENCE, Long.toString(ahead));
        redis.command("CONFIG", "RESETSTAT");

        Reply reply = scripts.attempt("a", "c:1:x", 30_000);

        assertThat(reply.token()).isEqualTo(ahead + 1);
        assertThat(scripts.value("a")).isEqualTo("hf1:c:1:x:" + (ahead + 1));
        assertThat(String.valueOf(redis.command("INFO", "commandstats")))
                .as("the rest of the script looks at the queue")
                .doesNotContain("cmdstat_zrange");
    }

    @Test
    void shortWay_manyTimes_givesTokensThatRise() {
        counterIsBehindTheClockAsMostlyItIs();
        long before = 0;
        for (int i = 0; i < 200; i++) {
            long token = scripts.attempt("a", "c:1:" + i, 30_000).token();
            assertThat(token).isGreaterThan(before);
            before = token;
            assertThat(scripts.release("a", "c:1:" + i)).isTrue();
        }
    }

    @Test
    @Faults(16)
    void shortWay_thatComesTooLate_changesNothing() {
        counterIsBehindTheClockAsMostlyItIs();

        String before = Long.toString(1_000 * serverMillis() - 1);

        assertThat(scripts.acquire("a", "c:1:x", 30_000, before, 6_000, 2_000).code())
                .isEqualTo(4);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo("1700000000000000");
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    @Faults(34)
    void shortWay_outOfMemory_takesNothingAndGivesBack() {
        counterIsBehindTheClockAsMostlyItIs();
        long token = scripts.attempt("a", "c:1:x", 30_000).token();
        redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> scripts.attempt("b", "c:2:y", 30_000))
                .withMessageContaining("OOM");
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(token));
        assertThat(scripts.release("a", "c:1:x")).isTrue();
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @ParameterizedTest
    @CsvSource({"30000, 2000", "1500, 1500"})
    void whatAnAcquireLeavesOut_isATicketOfSixSecondsAndAGrantOfTwoAtMost(String lease, String grant) {
        scripts.attempt("a", "c:1:x", 30_000);

        Reply reply = scripts.acquireWithDefaults("a", "c:2:y", lease);

        assertThat(reply.code()).isEqualTo(2);
        assertThat(redis.command("HGET", TICKETS, "c:2:y"))
                .asString()
                .isEqualTo((reply.now() / 1_000 + 6_000) + " " + grant + " 1");
        assertThat(scripts.ttl(TICKETS)).isBetween(11_000L, 12_000L);
    }

    // --- the queue

    @Test
    void release_grantsToTheFirstInLineForTheLengthOfAGrantAndTellsItsInbox() {
        scripts.attempt("a", "c1:1:x", 30_000);
        scripts.queue("a", "c2:1:y", 30_000);
        scripts.queue("a", "c3:1:z", 30_000);
        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");

            assertThat(scripts.release("a", "c1:1:x")).isTrue();

            List<?> message = (List<?>) requireNonNull(inbox.read());
            assertThat(message.subList(0, 3))
                    .isEqualTo(List.of("pmessage", "distributed_lock:~inbox:*", "distributed_lock:~inbox:c2"));
            String[] grant = message.get(3).toString().split(" ");
            assertThat(grant)
                    .hasSize(6)
                    .containsSequence("1", "2000")
                    .startsWith("c2:1:y")
                    .endsWith("distributed_lock:a");
            assertThat(redis.command("GET", "distributed_lock:a")).isEqualTo("hf1:c2:1:y:" + grant[1]);
            long end = Long.parseLong(grant[4]) / 1_000 + 2_000;
            long before = serverMillis();
            long ttl = scripts.lockTtl("a");
            long after = serverMillis();
            assertThat(end)
                    .as("counts from the moment that the message gives")
                    .isBetween(before + ttl - 5, after + ttl + 5);
        }
        assertThat(scripts.holder("a")).isEqualTo("c2:1:y");
        assertThat(scripts.lockTtl("a")).isBetween(1_000L, 2_000L);
        assertThat(scripts.queued("a")).isEqualTo(List.of("c3:1:z"));
        assertThat(scripts.tickets("a")).isEqualTo(1);
    }

    // --- those of one client in a row

    /** Those who want one token each, for all of their client who stand behind them. */
    private void inLine(String... owners) {
        for (String owner : owners) {
            assertThat(scripts.reserve("a", owner, 0).code()).isEqualTo(2);
        }
    }

    private String[] grantOnReleaseBy(String holder) {
        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");
            assertThat(scripts.release("a", holder)).isTrue();
            return ((List<?>) requireNonNull(inbox.read())).get(3).toString().split(" ");
        }
    }

    @Test
    @Faults(49)
    void grant_namesThoseOfTheSameClientDirectlyBehind_andHasTokensForMore() {
        counterIsBehindTheClock();
        scripts.attempt("a", "c1:1:x", 30_000);
        inLine("c2:1:y", "c2:2:y", "c2:3:y", "c:9:z", "c2:4:y");

        String[] grant = grantOnReleaseBy("c1:1:x");

        assertThat(grant).startsWith("c2:1:y").contains("64,2:y,3:y").hasSize(6);
        assertThat(scripts.value("a")).isEqualTo("hf1:c2:1:y:" + grant[1] + "+63");
        assertThat(scripts.queued("a")).isEqualTo(List.of("c2:2:y", "c2:3:y", "c:9:z", "c2:4:y"));
    }

    /** The name of a client may be the beginning of another's. */
    @Test
    void grant_doesNotTakeAnotherClientForItsOwn() {
        counterIsBehindTheClock();
        scripts.attempt("a", "c1:1:x", 30_000);
        inLine("c2:1:y", "c22:2:y");

        assertThat(grantOnReleaseBy("c1:1:x")).contains("64").doesNotContain("64,2:y");
    }

    @Test
    void grant_namesABoundedNumberOfThem() {
        counterIsBehindTheClock();
        scripts.attempt("a", "c1:1:x", 30_000);
        for (int i = 0; i < 70; i++) {
            inLine("c2:" + i + ":y");
        }

        assertThat(grantOnReleaseBy("c1:1:x")[2]).startsWith("64,1:y,2:y,").endsWith(",63:y");
    }

    /** On a counter that runs ahead of the clock there is one token only, and the client sees that. */
    @Test
    void grant_onACounterAheadOfTheClock_hasOneToken() {
        long now = scripts.attempt("a", "c1:1:x", 30_000).now();
        redis.command("SET", Scripts.FENCE, Long.toString(now + 5_000_000));
        inLine("c2:1:y", "c2:2:y");

        assertThat(grantOnReleaseBy("c1:1:x")).contains("1,2:y");
    }

    /** A client that uses up tokens faster than the clock runs is slowed down to the clock, and not to one at a time. */
    @Test
    void block_thatWouldDriveTheCounterTooFarAheadOfTheClock_isSmaller() {
        long now = scripts.attempt("a", "c1:1:x", 30_000).now();
        long lead = 1_900_000;
        redis.command("SET", Scripts.FENCE, Long.toString(now + lead - 100));
        scripts.release("a", "c1:1:x");

        // However long it takes until it runs, more than a second is not all of it.
        Reply block = scripts.reserve("a", "c1:2:x", 1_000_000);

        assertThat(block.tokens()).isGreaterThanOrEqualTo(100).isLessThan(1_000_000);
        assertThat(block.token() + block.tokens() - 1).isEqualTo(block.now() + lead);
    }

    @Test
    void release_takesTheTicketsOfThoseWhoWereServedAlong() {
        scripts.attempt("a", "c1:1:x", 30_000);
        inLine("c2:1:y", "c2:2:y", "c2:3:y", "c3:1:z");
        scripts.release("a", "c1:1:x");

        assertThat(scripts.release("a", "c2:1:y", "c2:2:y", "c2:3:y")).isTrue();

        assertThat(scripts.holder("a")).isEqualTo("c3:1:z");
        assertThat(scripts.queued("a")).isEmpty();
        assertThat(scripts.tickets("a")).isZero();
    }

    @Test
    void newcomer_isToldWhomItStandsBehind() {
        scripts.attempt("a", "c1:1:x", 30_000);

        assertThat(scripts.reserve("a", "c2:1:y", 0).before()).isEqualTo("c1:1:x");
        assertThat(scripts.reserve("a", "c2:2:y", 0).before()).isEqualTo("c2:1:y");
        assertThat(scripts.reserve("a", "c2:1:y", 0).before())
                .as("who was there before keeps what it was told")
                .isNull();
        assertThat(scripts.reserve("a", "c2:3:y", 2).before())
                .as("who asks for tokens of its own does not follow")
                .isNull();
    }

    @Test
    void together_doesForEachWhatItWouldHaveGotAlone() {
        counterIsBehindTheClock();
        scripts.attempt("a", "c1:1:x", 30_000);
        inLine("c3:1:z");

        List<Scripts.Reply> replies = scripts.together("a", Scripts.NO_HURRY, "c2:1:y", "c2:2:y", "c2:3:y");

        assertThat(replies).extracting(Scripts.Reply::code).containsExactly(2L, 2L, 2L);
        assertThat(replies).extracting(reply -> reply.numbers().get(4)).containsExactly(1L, 2L, 3L);
        assertThat(replies).extracting(Scripts.Reply::before).containsExactly("c3:1:z", "c2:1:y", "c2:2:y");
        assertThat(scripts.queued("a")).isEqualTo(List.of("c3:1:z", "c2:1:y", "c2:2:y", "c2:3:y"));
        assertThat(scripts.tickets("a")).isEqualTo(4);
        inLine("c4:1:z");
        assertThat(scripts.queued("a").get(4)).as("behind all of them").isEqualTo("c4:1:z");
        scripts.release("a", "c1:1:x");
        assertThat(grantOnReleaseBy("c3:1:z")[2]).isEqualTo("64,2:y,3:y");
    }

    @Test
    void together_leavesWhoStandsInLineWhereItStands() {
        scripts.attempt("a", "c1:1:x", 30_000);
        inLine("c2:1:y", "c3:1:z");

        List<Scripts.Reply> replies = scripts.together("a", Scripts.NO_HURRY, "c2:2:y", "c2:1:y");

        assertThat(replies).extracting(reply -> reply.numbers().get(4)).containsExactly(2L, 0L);
        assertThat(replies).extracting(Scripts.Reply::before).containsOnlyNulls();
        assertThat(scripts.queued("a")).isEqualTo(List.of("c2:1:y", "c3:1:z", "c2:2:y"));
    }

    /** What is not simple is left to whoever asks alone. */
    @Test
    @Faults(16)
    void together_doesNothingUnlessAllAreToWait() {
        assertThat(scripts.together("a", Scripts.NO_HURRY, "c2:1:y", "c2:2:y"))
                .as("free")
                .isEmpty();
        scripts.attempt("a", "c2:2:y", 30_000);
        assertThat(scripts.together("a", Scripts.NO_HURRY, "c2:1:y", "c2:2:y"))
                .as("one of them has it")
                .isEmpty();
        assertThat(scripts.together("a", "1", "c2:1:y", "c2:3:y"))
                .as("one is too late")
                .isEmpty();
        redis.command("PERSIST", "distributed_lock:a");
        assertThat(scripts.together("a", Scripts.NO_HURRY, "c2:1:y", "c2:3:y"))
                .as("it never ends")
                .isEmpty();
        redis.command("SET", "distributed_lock:a", "somebody else's", "PX", "30000");
        assertThat(scripts.together("a", Scripts.NO_HURRY, "c2:1:y", "c2:3:y"))
                .as("nobody will call")
                .isEmpty();
        redis.command("DEL", "distributed_lock:a");
        scripts.tryRead("a", "c1:1:x", 30_000);
        assertThat(scripts.together("a", Scripts.NO_HURRY, "c2:1:y", "c2:3:y"))
                .as("it is shared")
                .isEmpty();
        assertThat(scripts.queued("a")).isEmpty();
        assertThat(scripts.tickets("a")).isZero();
    }

    @Test
    void acquire_ofALockThatIsFree_hasOneToken() {
        counterIsBehindTheClock();

        assertThat(scripts.reserve("a", "c:1:x", 0).tokens()).isEqualTo(1);
        assertThat(scripts.value("a")).asString().doesNotContain("+");
    }

    private long serverMillis() {
        List<?> time = (List<?>) requireNonNull(redis.command("TIME"));
        return 1_000 * Long.parseLong(time.get(0).toString())
                + Long.parseLong(time.get(1).toString()) / 1_000;
    }

    @Test
    void release_withNobodyInLine_leavesOnlyTheCounter() {
        scripts.attempt("a", "c:1:x", 30_000);

        assertThat(scripts.release("a", "c:1:x")).isTrue();
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    void grant_isConfirmedByTheNextAsk_withTheSameTokenAndTheFullLease() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        scripts.release("a", "c:1:x");
        String granted = scripts.tokenText("a");

        Reply confirmed = scripts.queue("a", "c:2:y", 30_000);

        assertThat(confirmed.token()).hasToString(granted);
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
    }

    @Test
    void grants_goInTheOrderOfTheLine() {
        scripts.attempt("a", "c:0:first", 30_000);
        for (int i = 1; i <= 5; i++) {
            scripts.queue("a", "c:0:" + i, 30_000);
        }
        String holder = "c:0:first";
        for (int i = 1; i <= 5; i++) {
            scripts.release("a", holder);
            holder = scripts.holder("a");
            assertThat(holder).isEqualTo("c:0:" + i);
        }
    }

    @Test
    void freeLock_withSomebodyInLine_goesToThatOneAndNotToTheCaller() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("DEL", LOCK);

        assertThat(scripts.attempt("a", "c:3:z", 30_000).code()).isEqualTo(3);
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
        assertThat(scripts.lockTtl("a")).isLessThanOrEqualTo(2_000);
    }

    @Test
    void freeLock_whoseFirstInLineHearsNothing_goesToTheFirstThatHears() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "dead:1:x", 30_000);
        counted.queue("a", "dead:2:y", 30_000);
        counted.queue("a", "c2:1:y", 30_000);
        counted.queue("a", "c3:1:z", 30_000);
        redis.command("DEL", LOCK);

        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("SUBSCRIBE", "distributed_lock:~inbox:c2");
            Reply reply = counted.queue("a", "c3:1:z", 30_000);

            assertThat(reply.code()).isEqualTo(2);
            assertThat(counted.holder("a")).isEqualTo("c2:1:y");
        }
        assertThat(redis.command("ZRANGE", "distributed_lock:~queue:{" + LOCK + "}", "0", "-1"))
                .as("it keeps its place")
                .isEqualTo(List.of("dead:2:y", "c3:1:z"));
    }

    @Test
    void freeLock_whereNobodyInLineHears_goesToTheCaller_andThenToWhoeverAsksAgain() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "dead:1:x", 30_000);
        for (int i = 0; i < 8; i++) {
            counted.queue("a", "dead:2:" + i, 30_000);
        }
        redis.command("DEL", LOCK);

        assertThat(counted.attempt("a", "c2:1:y", 30_000).code()).isEqualTo(1);
        assertThat(counted.queue("a", "dead:2:1", 30_000).place())
                .as("it comes back, to its place")
                .isEqualTo(1);
        assertThat(counted.release("a", "c2:1:y")).isTrue();
        assertThat(counted.holder("a"))
                .as("who gives it back finds the others passed over, and asks nobody")
                .isEqualTo("dead:2:1");
        assertThat(counted.release("a", "dead:2:1")).isTrue();
        assertThat(redis.command("GET", LOCK)).isNull();
        assertThat(counted.queue("a", "dead:2:5", 30_000).code()).isEqualTo(1);
    }

    @Test
    void freeLock_withMoreInLineThatHearNothingThanArePassedOver_isGrantedToTheNext_forAnOrdinaryTime() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "dead:1:x", 30_000);
        for (int i = 0; i < 194; i++) {
            counted.queue("a", "dead:2:" + i, 30_000);
        }
        redis.command("DEL", LOCK);

        for (int i = 0; i < 3; i++) {
            assertThat(counted.attempt("a", "c2:1:y", 30_000).code())
                    .as("64 in one run, and to be asked again")
                    .isEqualTo(7);
        }
        assertThat(counted.attempt("a", "c2:1:y", 30_000).code()).isEqualTo(3);
        assertThat(counted.holder("a")).isEqualTo("dead:2:192");
        assertThat(counted.release("a", "dead:2:192")).isTrue();
        assertThat(counted.holder("a")).isEqualTo("dead:2:193");
        assertThat(counted.lockTtl("a")).isBetween(1_000L, 2_000L);
        assertThat(counted.release("a", "dead:2:193")).isTrue();
        assertThat(redis.command("GET", LOCK)).isNull();
    }

    @Test
    void freeLock_whoseFirstInLineWantsOneEach_isGrantedToIt_whetherItHearsOrNot_ifItHasJustAsked() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "dead:1:x", 30_000);
        counted.reserve("a", "dead:2:y", 0);
        redis.command("DEL", LOCK);

        assertThat(counted.attempt("a", "c2:1:y", 30_000).code()).isEqualTo(3);
        assertThat(counted.holder("a")).isEqualTo("dead:2:y");
    }

    @Test
    void freeLock_whoseFirstInLineWantsOneEach_goesToTheNext_ifThatHasBeenSilent_andBackWhenItAsks() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "dead:1:x", 30_000);
        counted.reserve("a", "dead:2:y", 0);
        counted.reserve("a", "c2:1:y", 0);
        counted.reserve("a", "c2:2:z", 0);
        counted.hasBeenSilent("a", "dead:2:y");
        redis.command("DEL", LOCK);

        try (Resp inbox = Resp.connect("127.0.0.1", redis.port())) {
            inbox.call("SUBSCRIBE", "distributed_lock:~inbox:c2");
            assertThat(counted.reserve("a", "c2:2:z", 0).code()).isEqualTo(2);

            assertThat(counted.holder("a")).isEqualTo("c2:1:y");
            assertThat(inbox.read())
                    .as("it is told who stands behind it, not who was passed over")
                    .asString()
                    .contains(",2:z ")
                    .doesNotContain(",2:y");
        }
        assertThat(counted.release("a", "c2:1:y")).isTrue();
        assertThat(counted.holder("a")).isEqualTo("c2:2:z");
        assertThat(counted.reserve("a", "dead:2:y", 0).place()).isZero();
        assertThat(counted.release("a", "c2:2:z")).isTrue();
        assertThat(counted.holder("a")).as("it has kept its place").isEqualTo("dead:2:y");
    }

    @Test
    void freeLock_thatSomebodyGivesUpWaitingFor_isNotGrantedToWhoHearsNothing() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "dead:1:x", 30_000);
        counted.queue("a", "dead:2:y", 30_000);
        counted.queue("a", "c2:1:y", 30_000);
        redis.command("DEL", LOCK);

        assertThat(counted.release("a", "c2:1:y")).isFalse();
        assertThat(redis.command("GET", LOCK)).isNull();
        assertThat(counted.attempt("a", "c3:1:z", 30_000).code()).isEqualTo(1);
    }

    @Test
    void turnThatIsGivenUp_goesToTheFirstInLine_whetherItHearsOrNot() {
        Scripts counted = scripts.listening();
        counted.attempt("a", "c:1:x", 30_000);
        counted.queue("a", "dead:2:y", 30_000);

        assertThat(counted.exchange("a", "c:1:x", "c:1:z", Scripts.NO_HURRY).code())
                .isEqualTo(2);
        assertThat(counted.holder("a")).isEqualTo("dead:2:y");
    }

    @Test
    void freeLock_withSomebodyInLine_letsACallerThatWaitsStandBehind() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("DEL", LOCK);

        Reply reply = scripts.queue("a", "c:3:z", 30_000);

        assertThat(reply.place()).isZero();
        assertThat(reply.left()).isEqualTo(2_000);
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
    }

    @Test
    @Faults(43)
    void freeLock_askedForByTheFirstInLine_isItsOwnForTheFullLease() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("DEL", LOCK);

        assertThat(scripts.queue("a", "c:2:y", 30_000).code()).isEqualTo(1);
        assertThat(scripts.lockTtl("a")).isBetween(29_000L, 30_000L);
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
    }

    // --- dead tickets

    @Test
    @Faults(48)
    void release_skipsDeadTickets() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.deadTickets("a", 63);
        scripts.queue("a", "c:2:live", 30_000);

        scripts.release("a", "c:1:x");

        assertThat(scripts.holder("a")).isEqualTo("c:2:live");
        assertThat(redis.keys()).containsExactlyInAnyOrder(LOCK, Scripts.FENCE);
    }

    @Test
    @Faults(48)
    void release_withADeadOneInTheMiddle_skipsItWhenItsTurnComes() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:first", 30_000);
        scripts.queue("a", "c:3:dead", 30_000);
        scripts.queue("a", "c:4:last", 30_000);
        redis.command("HSET", TICKETS, "c:3:dead", "1000 2000 1");

        scripts.release("a", "c:1:x");
        scripts.release("a", "c:2:first");

        assertThat(scripts.holder("a")).isEqualTo("c:4:last");
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 100, 200})
    @Faults(48)
    void manyDeadTickets_areClearedBoundedlyAndWhoeverAsksNextGoesOn(int dead) {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.deadTickets("a", dead);
        scripts.queue("a", "c:2:live", 30_000);

        scripts.release("a", "c:1:x");
        assertThat(scripts.queued("a")).as("one run clears 64").hasSize(dead + 1 - 64);

        for (int run = 0; run < (dead - 64) / 64; run++) {
            assertThat(scripts.queue("a", "c:2:live", 30_000).code())
                    .as("ask again at once")
                    .isEqualTo(7);
        }
        assertThat(scripts.queue("a", "c:2:live", 30_000).code()).isEqualTo(1);
        assertThat(scripts.queued("a")).isEmpty();
    }

    @Test
    @Faults(48)
    void manyDeadTickets_neverLetACallerPassALiveOne() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.deadTickets("a", 100);
        scripts.queue("a", "c:2:live", 30_000);
        redis.command("DEL", LOCK);

        assertThat(scripts.attempt("a", "c:3:late", 30_000).code()).isEqualTo(7);
        assertThat(scripts.attempt("a", "c:3:late", 30_000).code()).isEqualTo(3);

        assertThat(scripts.holder("a")).isEqualTo("c:2:live");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "99999999999999", "1 2 3"})
    void ticket_whoseLifeCannotBeRead_isDead(String ticket) {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("HSET", TICKETS, "c:2:y", ticket);

        scripts.release("a", "c:1:x");

        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    void ticket_thatStandsInTheLineOnly_isDead() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("HDEL", TICKETS, "c:2:y");

        scripts.release("a", "c:1:x");

        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    // --- release

    @Test
    @Faults(19)
    void release_repeated_hasNoSecondEffect() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        scripts.queue("a", "c:3:z", 30_000);

        assertThat(scripts.release("a", "c:1:x")).isTrue();
        assertThat(scripts.release("a", "c:1:x")).isFalse();

        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
        assertThat(scripts.queued("a")).isEqualTo(List.of("c:3:z"));
    }

    @Test
    @Faults(17)
    void release_ofAnEarlierAcquisition_leavesThePresentOneAlone() {
        scripts.attempt("a", "c:1:old", 30_000);
        scripts.release("a", "c:1:old");
        scripts.attempt("a", "c:1:new", 30_000);

        assertThat(scripts.release("a", "c:1:old")).isFalse();
        assertThat(scripts.holder("a")).isEqualTo("c:1:new");
    }

    @Test
    void release_byOneInLine_takesItsTicketBackOnly() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        scripts.queue("a", "c:3:z", 30_000);

        assertThat(scripts.release("a", "c:2:y")).isFalse();

        assertThat(scripts.holder("a")).isEqualTo("c:1:x");
        assertThat(scripts.queued("a")).isEqualTo(List.of("c:3:z"));
        assertThat(scripts.tickets("a")).isEqualTo(1);
    }

    @Test
    @Faults(45)
    void release_byOneThatWasGrantedMeanwhile_passesTheLockOn() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        scripts.queue("a", "c:3:z", 30_000);
        scripts.release("a", "c:1:x");

        assertThat(scripts.release("a", "c:2:y")).isTrue();
        assertThat(scripts.holder("a")).isEqualTo("c:3:z");
    }

    @Test
    void release_ofALockThatExpired_stillMovesTheLine() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("DEL", LOCK);

        assertThat(scripts.release("a", "c:1:x")).isFalse();
        assertThat(scripts.holder("a")).isEqualTo("c:2:y");
    }

    @Test
    void release_ofNothing_leavesNothing() {
        assertThat(scripts.release("a", "c:1:x")).isFalse();
        assertThat(redis.keys()).isEmpty();
    }

    // --- what is not ours

    @Test
    @Faults(39)
    void foreignValue_withAnExpiry_isRespectedAndSaidNotToNotify() {
        redis.command("SET", LOCK, "somebody", "PX", "5000");

        Reply reply = scripts.queue("a", "c:1:x", 30_000);

        assertThat(reply.left()).isBetween(4_000L, 5_000L);
        assertThat(reply.notified()).isFalse();
        assertThat(scripts.attempt("a", "c:2:y", 30_000).code()).isEqualTo(3);
        assertThat(scripts.release("a", "c:1:x")).isFalse();
        assertThat(scripts.value("a")).isEqualTo("somebody");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hf2:c:1:x:17", "hf10:c:1:x:17", "hf:c:1:x:17", "HF1:c:1:x:17", "c:1:x", ""})
    @Faults(40)
    void valueOfAnotherLayout_isThatOfAnotherHolder(String value) {
        redis.command("SET", LOCK, value, "PX", "5000");

        assertThat(scripts.queue("a", "c:1:x", 30_000).notified()).isFalse();
        assertThat(scripts.release("a", "c:1:x")).isFalse();
        assertThat(scripts.value("a")).isEqualTo(value);
    }

    @Test
    @Faults(39)
    void keyWithoutExpiry_isReportedAndNeverTaken() {
        redis.command("SET", "distributed_lock:foreign", "somebody");

        assertThat(scripts.attempt("foreign", "c:1:x", 30_000).code()).isEqualTo(5);
        assertThat(scripts.queue("foreign", "c:1:x", 30_000).code()).isEqualTo(5);
        assertThat(scripts.release("foreign", "c:1:x")).isFalse();
        assertThat(scripts.value("foreign")).isEqualTo("somebody");
        assertThat(redis.keys()).containsExactly("distributed_lock:foreign");
    }

    @Test
    @Faults(39)
    void keyOfAnotherType_isAnErrorOfTheAcquireAndNeverTaken() {
        redis.command("HSET", "distributed_lock:foreign", "f", "v");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> scripts.queue("foreign", "c:1:x", 30_000))
                .withMessageContaining("WRONGTYPE");
        assertThat(redis.keys()).containsExactly("distributed_lock:foreign");
    }

    /** It used to be an error, so that unlock() could not tell that the section was unprotected. */
    @Test
    @Faults(39)
    void keyOfAnotherType_atARelease_meansThatTheLockIsGone() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("DEL", LOCK);
        redis.command("HSET", LOCK, "f", "v");
        redis.command("PEXPIRE", LOCK, "10000");

        assertThat(scripts.release("a", "c:1:x")).isFalse();
        assertThat(redis.command("HGET", LOCK, "f")).isEqualTo("v");
        assertThat(scripts.queued("a")).as("still in line").hasSize(1);
    }

    // --- tokens

    @Test
    void token_withoutACounter_startsTwoSecondsAheadOfTheClock() {
        Reply reply = scripts.attempt("a", "c:1:x", 30_000);

        assertThat(reply.token()).isEqualTo(reply.now() + 2_000_000);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(reply.token()));
        assertThat(scripts.ttl(Scripts.FENCE)).isEqualTo(-1);
    }

    @Test
    void token_withACounterBehindTheClock_isTheClock() {
        redis.command("SET", Scripts.FENCE, "17");

        Reply reply = scripts.attempt("a", "c:1:x", 30_000);

        assertThat(reply.token()).isEqualTo(reply.now());
    }

    @Test
    void token_withACounterAheadOfTheClock_isTheNextNumber() {
        redis.command("SET", Scripts.FENCE, "5000000000000000");

        assertThat(scripts.attempt("a", "c:1:x", 30_000).token()).isEqualTo(5_000_000_000_000_001L);
        assertThat(scripts.attempt("b", "c:1:y", 30_000).token()).isEqualTo(5_000_000_000_000_002L);
    }

    @Test
    void token_ofAGrant_isHigherThanThatOfTheReleaser() {
        long first = scripts.attempt("a", "c:1:x", 30_000).token();
        scripts.queue("a", "c:2:y", 30_000);
        scripts.release("a", "c:1:x");

        assertThat(scripts.queue("a", "c:2:y", 30_000).token()).isGreaterThan(first);
    }

    @Test
    @Faults(32)
    void token_afterFlushAll_isHigherThanAllBefore() {
        long before = 0;
        for (int i = 0; i < 100; i++) {
            before = scripts.attempt("a", "c:1:" + i, 30_000).token();
            scripts.release("a", "c:1:" + i);
        }

        redis.flushAll();

        assertThat(scripts.attempt("a", "c:1:x", 30_000).token()).isGreaterThan(before);
    }

    @Test
    @Faults(58)
    void token_nearTwoToThe53_isExactToTheLastDigit() {
        redis.command("SET", Scripts.FENCE, "9007199254740988");

        for (long expected = 9_007_199_254_740_989L; expected <= 9_007_199_254_740_991L; expected++) {
            assertThat(scripts.attempt("a", "c:1:x", 30_000).token()).isEqualTo(expected);
            assertThat(scripts.value("a")).isEqualTo("hf1:c:1:x:" + expected);
            assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(expected));
            scripts.release("a", "c:1:x");
        }
    }

    /** Beyond 2^53 Lua cannot tell a number from the next: it used to hand out one token for ever. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "9007199254740991",
                "9007199254740992",
                "9007199254740993",
                "9223372036854775807",
                "99999999999999999999999999",
            })
    @Faults(58)
    void token_beyondTwoToThe53_isRefusedAndTheCounterLeftAlone(String counter) {
        redis.command("SET", Scripts.FENCE, counter);

        assertThat(scripts.attempt("a", "c:1:x", 30_000).code()).isEqualTo(6);
        assertThat(scripts.queue("a", "c:1:x", 30_000).code()).isEqualTo(6);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(counter);
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "nan",
                "inf",
                "1e3",
                "0x10",
                "-5",
                "17 ",
                // As long as a number of ours.
                "1700000000000x00",
                "1.70000000000e15",
                " 170000000000000",
                "0x60A24181E40000"
            })
    @Faults({39, 58})
    void token_withACounterThatIsNoNumber_isRefusedAndTheCounterLeftAlone(String counter) {
        redis.command("SET", Scripts.FENCE, counter);

        assertThat(scripts.attempt("a", "c:1:x", 30_000).code()).isEqualTo(6);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(counter);
    }

    @Test
    @Faults(58)
    void release_whenNoTokenCanFollow_freesTheLockAndGrantsToNobody() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("SET", Scripts.FENCE, "9007199254740991");

        assertThat(scripts.release("a", "c:1:x")).isTrue();
        assertThat(scripts.value("a")).isNull();
        assertThat(scripts.queue("a", "c:2:y", 30_000).code()).isEqualTo(6);
    }

    @Test
    @Faults(58)
    void askingBehindAnother_whenNoTokenCanFollow_isRefusedToo() {
        scripts.attempt("a", "c:1:x", 30_000);
        scripts.queue("a", "c:2:y", 30_000);
        redis.command("DEL", LOCK);
        redis.command("SET", Scripts.FENCE, "9007199254740991");

        assertThat(scripts.queue("a", "c:3:z", 30_000).code()).isEqualTo(6);
        assertThat(scripts.value("a")).isNull();
    }

    @Test
    void locks_areIndependent_butShareTheCounter() {
        long a = scripts.attempt("a", "c:1:x", 30_000).token();
        long b = scripts.attempt("b", "c:2:y", 30_000).token();

        assertThat(b).isGreaterThan(a);
        assertThat(scripts.release("a", "c:2:y")).isFalse();
        assertThat(scripts.holder("b")).isEqualTo("c:2:y");
    }
}
