package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** latch.lua, reply by reply. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
class LatchScriptIT {
    private static final String LATCH = "distributed_lock:~latch:{distributed_lock:a}";
    private static final String WAITERS = "distributed_lock:~waiters:{distributed_lock:a}";
    private static final String MESSAGE = " distributed_lock:a";

    private final RedisServer redis;
    private final Scripts scripts;

    LatchScriptIT(RedisServer.Version version) {
        redis = SharedRedis.empty(version);
        scripts = new Scripts(redis);
    }

    @AfterEach
    void everyKeyOfOursHasAnExpiry() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(redis.keys()).isSubsetOf(LATCH, WAITERS).allMatch(key -> scripts.ttl(key) > 0);
    }

    private List<?> run(String op, String id, String notAfter, String... more) {
        List<String> args =
                new ArrayList<>(List.of(op, id, "distributed_lock:~inbox:", "distributed_lock:a", notAfter));
        args.addAll(Arrays.asList(more));
        Object reply = scripts.run(Script.LATCH, List.of(LATCH, WAITERS), args.toArray(String[]::new));
        return (List<?>) requireNonNull(reply);
    }

    private List<?> set(String id, int count) {
        return run("set", id, Scripts.NO_HURRY, Integer.toString(count), "60000");
    }

    private List<?> down(String id) {
        return down(id, "c:1:set");
    }

    private List<?> down(String id, String made) {
        return run("down", id, Scripts.NO_HURRY, made);
    }

    private List<?> look() {
        return run("look", "", Scripts.NO_HURRY);
    }

    private List<?> look(String waiter) {
        return run("look", waiter, Scripts.NO_HURRY, "6000");
    }

    private List<?> leave(String waiter) {
        return run("leave", waiter, Scripts.NO_HURRY);
    }

    private List<?> clear() {
        return run("clear", "d:1:x", Scripts.NO_HURRY, "c:1:set");
    }

    private static List<?> state(long left) {
        return List.of(left, "c:1:set");
    }

    private long number(String... command) {
        return (Long) requireNonNull(redis.command(command));
    }

    private List<?> waiting() {
        return (List<?>) requireNonNull(redis.command("ZRANGE", WAITERS, "0", "-1"));
    }

    // --- counting

    @Test
    void latch_countsDownToZero_andNoFurther() {
        assertThat(set("c:1:set", 2)).isEqualTo(state(2));
        assertThat(look()).isEqualTo(state(2));
        assertThat(down("d:1:x")).isEqualTo(state(1));
        assertThat(down("d:1:y")).isEqualTo(state(0));
        assertThat(down("d:1:z")).isEqualTo(state(0));
        assertThat(look()).isEqualTo(state(0));

        assertThat(number("HLEN", LATCH)).as("who comes too late is not kept").isEqualTo(3);
        assertThat(redis.keys()).containsExactly(LATCH);
    }

    @Test
    @Faults({15, 19})
    void samePerson_repeated_hasNoSecondEffect() {
        set("c:1:set", 3);
        down("d:1:x");

        assertThat(down("d:1:x")).isEqualTo(state(2));
        assertThat(set("c:1:set", 3)).as("it is still the one who has set it").isEqualTo(state(2));
        assertThat(set("c:1:set", 9)).isEqualTo(state(2));
        assertThat(set("e:1:other", 9)).as("another is not").isEqualTo(state(2));
        assertThat(number("HLEN", LATCH)).isEqualTo(2);
    }

    @Test
    @Faults(15)
    void countDownThatOpenedIt_repeated_tellsNobodyASecondTime() {
        set("c:1:set", 1);
        look("w:1:x");
        try (Resp inbox = inbox()) {
            down("d:1:x");
            down("d:1:x");
            down("d:1:y");

            assertMessages(inbox, List.of("w:1:x"));
        }
    }

    @Test
    void oneWhoSetsIt_mayAlsoCountDown() {
        set("c:1:set", 2);

        assertThat(down("c:1:set")).isEqualTo(state(1));
        assertThat(down("c:1:other")).isEqualTo(state(0));
    }

    @Test
    void manyCounts_areCountedEach() {
        set("c:1:set", 1_000_000);
        for (int i = 0; i < 300; i++) {
            assertThat(down("d:1:" + i)).isEqualTo(state(999_999 - i));
        }
    }

    @Test
    void latchThatIsNotThere_isSaid_andNotMadeByCounting() {
        assertThat(look()).isEqualTo(List.of(-1L));
        assertThat(down("d:1:x")).isEqualTo(List.of(-1L));
        assertThat(leave("w:1:x")).isEqualTo(List.of(-1L));
        assertThat(clear()).isEqualTo(List.of(-1L));

        assertThat(redis.keys()).isEmpty();
    }

    // --- life

    @Test
    void life_isCountedFromWhenItWasSet() {
        set("c:1:set", 2);
        redis.command("PEXPIRE", LATCH, "20000");

        down("d:1:x");
        look("w:1:x");
        set("c:1:set", 2);

        assertThat(scripts.ttl(LATCH)).isBetween(1L, 20_000L);
    }

    @Test
    void latchWhoseLifeIsOver_canBeSetAnew_andCountsFromTheStart() {
        set("c:1:set", 3);
        down("d:1:x");
        redis.command("PEXPIRE", LATCH, "0");

        assertThat(look()).isEqualTo(List.of(-1L));
        assertThat(set("e:1:new", 2)).isEqualTo(List.of(2L, "e:1:new"));
        assertThat(down("d:1:x", "e:1:new")).isEqualTo(List.of(1L, "e:1:new"));
    }

    // --- messages that come late

    @Test
    @Faults({15, 19})
    void countingAndClearing_thatIsRepeated_leavesTheNextLatchAlone() {
        set("c:1:set", 2);
        down("d:1:x");
        clear();
        set("e:1:new", 2);
        look("w:1:x");

        assertThat(down("d:1:x")).isEqualTo(List.of(2L, "e:1:new"));
        assertThat(clear()).isEqualTo(List.of(2L, "e:1:new"));

        assertThat(look()).isEqualTo(List.of(2L, "e:1:new"));
        assertThat(waiting()).isEqualTo(List.of("w:1:x"));
    }

    @Test
    @Faults(16)
    void settingAndCounting_thatComesTooLate_isRefusedWithTheTime() {
        List<?> late = run("set", "c:1:set", "1", "2", "60000");
        assertThat(late.get(0)).isEqualTo(-3L);
        assertThat(Long.parseLong(String.valueOf(late.get(1)))).isGreaterThan(1_600_000_000_000_000L);
        assertThat(redis.keys()).isEmpty();

        set("c:1:set", 1);
        look("w:1:x");
        assertThat(run("down", "d:1:x", "1", "c:1:set").get(0)).isEqualTo(-3L);
        assertThat(look()).isEqualTo(state(1));
        assertThat(waiting()).isEqualTo(List.of("w:1:x"));
    }

    @Test
    void lookingAndLeaving_isNeverTooLate_butClearingIs() {
        set("c:1:set", 1);

        assertThat(run("look", "w:1:x", "1", "6000")).isEqualTo(state(1));
        assertThat(run("leave", "w:1:x", "1")).isEqualTo(state(1));
        assertThat(run("clear", "d:1:x", "1", "c:1:set").get(0))
                .as("who asked for it was told that it failed")
                .isEqualTo(-3L);
        assertThat(redis.keys()).isNotEmpty();
    }

    // --- what stands there is something else

    private void assertLeftAlone(String op, @Nullable Object before) {
        assertThat(run(op, "c:1:x", Scripts.NO_HURRY, "5", "60000")).as(op).isEqualTo(List.of(-2L));
        assertThat(redis.command("HGETALL", LATCH)).as(op).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"hf2 3 c:1:set", "hf1 3", "hf1 -3 c:1:set", "hf1 x c:1:set", "3", "", "hf1 3 c:1:set and more"})
    @Faults({39, 40})
    void hashThatIsNoLatch_isSaid_andLeftAlone(String text) {
        redis.command("HSET", LATCH, "=", text, "d:1:x", "1");
        redis.command("PEXPIRE", LATCH, "60000");
        Object before = redis.command("HGETALL", LATCH);

        Stream.of("set", "down", "look", "leave", "clear").forEach(op -> assertLeftAlone(op, before));
        assertThat(redis.keys()).containsExactly(LATCH);
    }

    @Test
    @Faults(39)
    void hashWithoutTheCount_isSaid_andLeftAlone() {
        redis.command("HSET", LATCH, "field", "value");
        redis.command("PEXPIRE", LATCH, "60000");
        Object before = redis.command("HGETALL", LATCH);

        Stream.of("set", "down", "look", "leave", "clear").forEach(op -> assertLeftAlone(op, before));
    }

    /** Fewer than none are left: somebody else has put fields there. The number is no code, and nothing is overwritten. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 50})
    @Faults(39)
    void latchWithMoreFieldsThanCounts_isSaid_andLeftAlone(int tooMany) {
        set("c:1:set", 1);
        for (int i = 0; i <= tooMany; i++) {
            redis.command("HSET", LATCH, "field" + i, "value");
        }
        Object before = redis.command("HGETALL", LATCH);

        Stream.of("set", "down", "look", "leave", "clear").forEach(op -> assertLeftAlone(op, before));
    }

    @ParameterizedTest
    @ValueSource(strings = {"set", "down", "look", "leave", "clear"})
    @Faults(39)
    void keyOfAWrongType_isAnError_andLeftAlone(String op) {
        redis.command("SET", LATCH, "no latch", "PX", "60000");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> run(op, "c:1:x", Scripts.NO_HURRY, "5", "60000"))
                .withMessageContaining("WRONGTYPE");

        assertThat(redis.command("GET", LATCH)).isEqualTo("no latch");
    }

    @Test
    @Faults(34)
    void outOfMemory_isAnErrorForWhoSetsIt_andLeavesNothingWithoutExpiry() {
        redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> set("c:1:set", 1))
                .withMessageContaining("OOM");

        assertThat(redis.keys()).isEmpty();
    }

    // --- those who wait

    @Test
    void waiter_hasATicketThatEnds_andEveryLookRenewsIt() {
        set("c:1:set", 1);
        assertThat(look("w:1:x")).isEqualTo(state(1));
        long first = Long.parseLong(String.valueOf(redis.command("ZSCORE", WAITERS, "w:1:x")));
        redis.command("PEXPIRE", WAITERS, "100");

        look("w:1:x");

        assertThat(Long.parseLong(String.valueOf(redis.command("ZSCORE", WAITERS, "w:1:x"))))
                .isGreaterThanOrEqualTo(first);
        assertThat(scripts.ttl(WAITERS)).isBetween(6_000L, 12_000L);
        assertThat(waiting()).hasSize(1);
        assertThat(look()).as("one who only asks does not wait").isEqualTo(state(1));
        assertThat(waiting()).hasSize(1);
    }

    @Test
    @Faults(45)
    void waiterWhoLeaves_isNotTold() {
        set("c:1:set", 1);
        look("w:1:x");
        look("w:1:y");
        assertThat(leave("w:1:x")).isEqualTo(state(1));
        assertThat(leave("w:1:x")).isEqualTo(state(1));
        try (Resp inbox = inbox()) {
            down("d:1:x");

            assertMessages(inbox, List.of("w:1:y"));
        }
        assertThat(redis.keys()).containsExactly(LATCH);
    }

    @Test
    @Faults(44)
    void onlyTheLastCount_tellsThem_eachAtItsOwnInbox() {
        set("c:1:set", 2);
        look("w1:1:x");
        look("w2:1:y");
        try (Resp inbox = inbox()) {
            down("d:1:x");
            redis.command("PUBLISH", "distributed_lock:~inbox:end", "so far none");
            down("d:1:y");

            assertThat(message(inbox)).last().isEqualTo("so far none");
            for (int i = 0; i < 2; i++) {
                List<?> message = message(inbox);
                String waiter = String.valueOf(message.get(3)).replace(MESSAGE, "");
                assertThat(waiter).isIn("w1:1:x", "w2:1:y");
                assertThat(message.get(2)).isEqualTo("distributed_lock:~inbox:" + waiter.substring(0, 2));
            }
        }
        assertThat(redis.keys()).containsExactly(LATCH);
    }

    @Test
    void waiterOfALatchThatIsNotSetYet_isToldWhenItOpens() {
        assertThat(look("w:1:x")).isEqualTo(List.of(-1L));
        assertThat(redis.keys()).containsExactly(WAITERS);
        set("c:1:set", 1);
        try (Resp inbox = inbox()) {
            down("d:1:x");

            assertMessages(inbox, List.of("w:1:x"));
        }
    }

    @Test
    @Faults(41)
    void waiterWhoComesWhenItIsOpen_getsNoTicket() {
        set("c:1:set", 1);
        down("d:1:x");

        assertThat(look("w:1:x")).isEqualTo(state(0));

        assertThat(redis.keys()).containsExactly(LATCH);
    }

    /** One run tells 64; each of them comes to look, and has 64 more told. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 200})
    @Faults(44)
    void manyWaiters_areToldRunByRun_eachOnce(int many) {
        set("c:1:set", 1);
        List<String> waiters =
                IntStream.range(0, many).mapToObj(i -> "w:1:" + (1_000 + i)).toList();
        waiters.forEach(this::look);
        List<String> told = new ArrayList<>();
        try (Resp inbox = inbox()) {
            down("d:1:x");
            assertThat(number("ZCARD", WAITERS)).isEqualTo(many - 64);
            int looks = 0;
            for (; told.size() < many; looks++) {
                told.addAll(messages(inbox));
                look(told.get(looks));
            }

            assertThat(messages(inbox)).isEmpty();
            assertThat(looks).as("looks until all know").isEqualTo((many + 63) / 64);
        }
        assertThat(told).containsExactlyInAnyOrderElementsOf(waiters);
        assertThat(redis.keys()).containsExactly(LATCH);
    }

    @Test
    @Faults(47)
    void clear_forgetsIt_andTellsThoseWhoWait() {
        set("c:1:set", 2);
        down("d:1:x");
        look("w:1:x");
        try (Resp inbox = inbox()) {
            assertThat(clear()).as("how it stood before").isEqualTo(state(1));

            assertMessages(inbox, List.of("w:1:x"));
        }
        assertThat(redis.keys()).isEmpty();
        assertThat(clear()).isEqualTo(List.of(-1L));
    }

    private Resp inbox() {
        Resp inbox = Resp.connect("127.0.0.1", redis.port());
        inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");
        return inbox;
    }

    private static List<?> message(Resp inbox) {
        return (List<?>) requireNonNull(inbox.read());
    }

    /** Those who were told until now. */
    private List<String> messages(Resp inbox) {
        redis.command("PUBLISH", "distributed_lock:~inbox:end", "no more");
        List<String> told = new ArrayList<>();
        for (String text = text(inbox); !text.equals("no more"); text = text(inbox)) {
            assertThat(text).endsWith(MESSAGE);
            told.add(text.replace(MESSAGE, ""));
        }
        return told;
    }

    private static String text(Resp inbox) {
        return String.valueOf(message(inbox).get(3));
    }

    private void assertMessages(Resp inbox, List<String> waiters) {
        assertThat(messages(inbox)).isEqualTo(waiters);
    }
}
