package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.redis.Scripts.Reply;
import io.holdfast.redis.link.Script;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** all.lua, reply by reply: what is done to several locks in one go, and what is left if one is not to be had. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
@Faults(57)
class AllScriptIT {
    private static final boolean KEEP = true;
    private static final boolean ALL_OR_NONE = false;
    private static final long LAST_TOKEN = (1L << 53) - 1;

    private final RedisServer redis;
    private final Scripts scripts;
    private final Keys keys = new Keys(Scripts.PREFIX);
    private final List<Member> five = members("a", "b", "foreign", "d", "e");

    AllScriptIT(RedisServer.Version version) {
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

    /** One of several locks, and who asks for it how. */
    private record Member(String name, String owner, long lease, String share, int weight, int of) {
        Member lease(long ms) {
            return new Member(name, owner, ms, share, weight, of);
        }

        Member reads() {
            return new Member(name, owner, lease, "r", 1, 0);
        }

        Member permits(int many, int ofAll) {
            return new Member(name, owner, lease, "p", many, ofAll);
        }
    }

    private static List<Member> members(String... names) {
        return Stream.of(names)
                .map(name -> new Member(name, "c:1:" + name, 30_000, "x", 1, 0))
                .toList();
    }

    private List<Reply> acquire(boolean part, List<Member> members) {
        return acquire(part, Scripts.NO_HURRY, members);
    }

    private List<Reply> acquire(boolean part, String notAfter, List<Member> members) {
        List<String> args = new ArrayList<>(List.of("A", notAfter, part ? "1" : "0"));
        for (Member member : members) {
            args.addAll(List.of(
                    member.owner(),
                    Long.toString(member.lease()),
                    member.share(),
                    Integer.toString(member.weight()),
                    Integer.toString(member.of())));
        }
        return run(members, args).stream().map(Scripts::reply).toList();
    }

    private List<?> release(List<Member> members) {
        List<String> args = new ArrayList<>(List.of("R"));
        members.forEach(member -> args.add(member.owner()));
        return run(members, args);
    }

    private List<?> run(List<Member> members, List<String> args) {
        List<String> scriptKeys = new ArrayList<>(List.of(Scripts.FENCE));
        for (Member member : members) {
            String name = member.name();
            scriptKeys.addAll(List.of(keys.lock(name), keys.queue(name), keys.tickets(name), keys.holds(name)));
        }
        Object answer = scripts.run(Script.ALL, scriptKeys, args.toArray(String[]::new));
        List<?> replies = (List<?>) requireNonNull(answer);
        assertThat(replies).isNotEmpty().hasSizeLessThanOrEqualTo(members.size());
        return replies;
    }

    private static List<Long> codes(List<Reply> replies) {
        return replies.stream().map(Reply::code).toList();
    }

    private static List<Long> tokens(List<Reply> replies) {
        return replies.stream().map(Reply::token).toList();
    }

    private boolean has(Member member) {
        return String.valueOf(scripts.value(member.name())).startsWith("hf1:" + member.owner() + ":");
    }

    // --- all of them

    @Test
    void acquire_ofFreeLocks_grantsAllUnderTokensThatRise_andReleaseLeavesNothing() {
        List<Reply> replies = acquire(ALL_OR_NONE, five);

        assertThat(codes(replies)).containsOnly(1L).hasSize(5);
        assertThat(tokens(replies)).isSorted().doesNotHaveDuplicates();
        for (int i = 0; i < five.size(); i++) {
            assertThat(scripts.holder(five.get(i).name())).isEqualTo(five.get(i).owner());
            assertThat(scripts.tokenText(five.get(i).name()))
                    .isEqualTo(tokens(replies).get(i) + "");
            assertThat(scripts.lockTtl(five.get(i).name())).isBetween(20_000L, 30_000L);
        }
        assertThat(redis.keys()).hasSize(6);

        assertThat(release(five)).isEqualTo(List.of(1L, 1L, 1L, 1L, 1L));
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
        assertThat(release(five)).as("once more").isEqualTo(List.of(0L, 0L, 0L, 0L, 0L));
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    void acquire_givesEachMemberItsOwnLeaseAndKind() {
        List<Member> mixed = List.of(
                members("w").get(0).lease(5_000),
                members("r").get(0).reads().lease(50_000),
                members("p").get(0).permits(2, 3));

        assertThat(codes(acquire(ALL_OR_NONE, mixed))).containsExactly(1L, 1L, 1L);

        assertThat(scripts.lockTtl("w")).isBetween(1L, 5_000L);
        assertThat(scripts.lockTtl("r")).isBetween(40_000L, 50_001L);
        assertThat(scripts.state("r")).isEqualTo("r 1 0");
        assertThat(scripts.state("p")).isEqualTo("p 2 3");
        assertThat(release(mixed)).isEqualTo(List.of(1L, 1L, 1L));
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    void sixtyFour_areTakenAndGivenBackInOneRunEach() {
        List<Member> many =
                members(IntStream.range(0, 64).mapToObj(i -> "n" + (100 + i)).toArray(String[]::new));

        List<Reply> replies = acquire(ALL_OR_NONE, many);

        assertThat(tokens(replies)).hasSize(64).isSorted().doesNotHaveDuplicates();
        assertThat(many).allMatch(this::has);
        assertThat(release(many)).hasSize(64).allMatch(Long.valueOf(1)::equals);
        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    // --- one of them is not to be had

    @ParameterizedTest
    @CsvSource({"0, true", "2, true", "4, true", "0, false", "2, false", "4, false"})
    void oneBusy_endsTheAnswer_andThoseBeforeItAreKeptOnlyIfAskedFor(int busy, boolean part) {
        String name = five.get(busy).name();
        scripts.attempt(name, "other:1:x", 30_000);

        List<Reply> replies = acquire(part, five);

        assertThat(replies).hasSize(busy + 1);
        assertThat(codes(replies).subList(0, busy)).allMatch(code -> code == 1);
        assertThat(replies.get(busy).code()).isEqualTo(3);
        assertThat(scripts.holder(name)).isEqualTo("other:1:x");
        for (int i = 0; i < five.size(); i++) {
            assertThat(has(five.get(i))).as(five.get(i).name()).isEqualTo(part && i < busy);
        }
        assertThat(redis.keys()).as("no ticket, nothing of the others").hasSize(part ? busy + 2 : 2);
    }

    @Test
    void rollBack_ofShares_leavesThoseOfOthers() {
        scripts.tryRead("r", "other:1:r", 30_000);
        scripts.tryPermits("p", "other:1:p", 30_000, 1, 3);
        scripts.attempt("z", "other:1:z", 30_000);
        List<Member> mixed = List.of(
                members("r").get(0).reads(),
                members("p").get(0).permits(2, 3),
                members("z").get(0));

        assertThat(codes(acquire(ALL_OR_NONE, mixed))).containsExactly(1L, 1L, 3L);

        assertThat(scripts.sharers("r")).isEqualTo(List.of("other:1:r"));
        assertThat(scripts.state("r")).isEqualTo("r 1 0");
        assertThat(scripts.sharers("p")).isEqualTo(List.of("other:1:p"));
        assertThat(scripts.state("p")).isEqualTo("p 1 3");
        assertThat(scripts.lockTtl("r")).isBetween(1L, 30_001L);
    }

    @Test
    @Faults(39)
    void oneWithoutAnExpiry_isRefused_andTheOthersAreGivenUp() {
        redis.command("SET", keys.lock("foreign"), "eternal");

        assertThat(codes(acquire(ALL_OR_NONE, five))).containsExactly(1L, 1L, 5L);
        assertThat(five).noneMatch(this::has);
        assertThat(scripts.value("foreign")).isEqualTo("eternal");

        assertThat(codes(acquire(KEEP, five))).containsExactly(1L, 1L, 5L);
        assertThat(five.subList(0, 2)).allMatch(this::has);
        assertThat(codes(acquire(KEEP, five.subList(2, 5)))).containsExactly(5L);
    }

    @Test
    @Faults(40)
    void oneOfAnotherLayout_isBusy_andLeftAlone() {
        redis.command("SET", keys.lock("foreign"), "hf2:c:1:foreign:17", "PX", "30000");

        assertThat(codes(acquire(ALL_OR_NONE, five))).containsExactly(1L, 1L, 3L);
        assertThat(release(five)).isEqualTo(List.of(0L, 0L, 0L, 0L, 0L));

        assertThat(scripts.value("foreign")).isEqualTo("hf2:c:1:foreign:17");
        assertThat(redis.keys()).containsExactlyInAnyOrder(Scripts.FENCE, keys.lock("foreign"));
    }

    @Test
    @Faults(56)
    void oneUsedOtherwise_isRefusedWithItsPermits() {
        scripts.tryPermits("foreign", "other:1:p", 30_000, 1, 7);

        List<Reply> replies = acquire(ALL_OR_NONE, five);

        assertThat(codes(replies)).containsExactly(1L, 1L, 8L);
        assertThat(replies.get(2).permits()).isEqualTo(7);
        assertThat(members("a", "b", "d", "e")).noneMatch(this::has);
        assertThat(scripts.state("foreign")).isEqualTo("p 1 7");
    }

    /** What went wrong is told to whoever asks for that one first: the answer ends before it, and all in it is granted. */
    @ParameterizedTest
    @ValueSource(booleans = {KEEP, ALL_OR_NONE})
    @Faults(39)
    void oneOfAWrongType_endsTheAnswerBeforeIt_andIsAnErrorAtItsHead(boolean part) {
        redis.command("RPUSH", keys.lock("foreign"), "not", "a", "lock");
        redis.command("PEXPIRE", keys.lock("foreign"), "30000");

        assertThat(codes(acquire(part, five))).containsExactly(1L, 1L);
        assertThat(five.subList(0, 2)).allMatch(this::has);
        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> acquire(part, five.subList(2, 5)))
                .withMessageContaining("WRONGTYPE");
        assertThat(five.subList(3, 5)).noneMatch(this::has);

        assertThat(release(five)).as("it is none of ours").isEqualTo(List.of(1L, 1L, 0L, 0L, 0L));
        assertThat(redis.command("LLEN", keys.lock("foreign"))).isEqualTo(3L);
        assertThat(redis.keys()).containsExactlyInAnyOrder(Scripts.FENCE, keys.lock("foreign"));
    }

    @Test
    @Faults(39)
    void oneWhoseQueueIsOfAWrongType_endsTheAnswerBeforeIt() {
        redis.command("SET", keys.queue("foreign"), "no queue", "PX", "30000");

        assertThat(codes(acquire(ALL_OR_NONE, five))).containsExactly(1L, 1L);
        assertThatExceptionOfType(RespError.class).isThrownBy(() -> acquire(ALL_OR_NONE, five.subList(2, 5)));
        assertThat(release(five.subList(0, 2))).isEqualTo(List.of(1L, 1L));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void oneWithManyDeadTickets_isAskedForAgain(int which) {
        String name = five.get(which).name();
        scripts.deadTickets(name, 70);

        List<Reply> replies = acquire(ALL_OR_NONE, five);

        if (which == 0) {
            assertThat(codes(replies)).as("ask again at once").containsExactly(7L);
        } else {
            assertThat(codes(replies)).as("ask for the rest").containsExactly(1L, 1L);
        }
        assertThat(codes(acquire(ALL_OR_NONE, five))).containsExactly(1L, 1L, 1L, 1L, 1L);
        assertThat(redis.keys()).hasSize(6);
    }

    /** Who waits for it comes first, and is told; the one who finds it free has it not. */
    @Test
    @Faults(45)
    void oneFreeThatOthersWaitFor_goesToThem() {
        scripts.attempt("foreign", "other:1:x", 30_000);
        scripts.queue("foreign", "w:1:y", 30_000);
        redis.command("DEL", keys.lock("foreign"));
        try (Resp inbox = inbox()) {
            assertThat(codes(acquire(ALL_OR_NONE, five))).containsExactly(1L, 1L, 3L);

            assertThat(text(inbox)).startsWith("w:1:y ").endsWith(keys.lock("foreign"));
        }
        assertThat(scripts.holder("foreign")).isEqualTo("w:1:y");
        assertThat(five).noneMatch(this::has);
    }

    // --- too late, and no tokens

    @ParameterizedTest
    @ValueSource(booleans = {KEEP, ALL_OR_NONE})
    @Faults(16)
    void acquire_thatComesTooLate_takesNothing(boolean part) {
        assertThat(codes(acquire(part, "1", five))).containsExactly(4L);

        assertThat(redis.keys()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9007199254740991", "9007199254740992", "99999999999999999999", "no number", "-5", ""})
    @Faults(58)
    void counterThatCannotGoOn_isSaidAtOnce_andNothingIsTaken(String counter) {
        redis.command("SET", Scripts.FENCE, counter);

        assertThat(codes(acquire(KEEP, five))).containsExactly(6L);

        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(counter);
    }

    @Test
    @Faults(58)
    void counterThatEndsAmid_grantsWhatItCan_andSaysSoToTheNext() {
        redis.command("SET", Scripts.FENCE, Long.toString(LAST_TOKEN - 2));

        List<Reply> replies = acquire(ALL_OR_NONE, five);

        assertThat(tokens(replies)).containsExactly(LAST_TOKEN - 1, LAST_TOKEN);
        assertThat(codes(acquire(ALL_OR_NONE, five.subList(2, 5)))).containsExactly(6L);
        assertThat(release(five)).isEqualTo(List.of(1L, 1L, 0L, 0L, 0L));
        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(Long.toString(LAST_TOKEN));
    }

    @Test
    @Faults(39)
    void counterOfAWrongType_isAnError_andNothingIsTaken() {
        redis.command("RPUSH", Scripts.FENCE, "x");

        assertThatExceptionOfType(RespError.class).isThrownBy(() -> acquire(KEEP, five));

        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    // --- the same again

    @Test
    @Faults(15)
    void acquire_repeated_answersWithTheSameTokens_andNoSecondEffect() {
        List<Long> first = tokens(acquire(ALL_OR_NONE, five));
        Object counter = redis.command("GET", Scripts.FENCE);

        assertThat(tokens(acquire(ALL_OR_NONE, five))).isEqualTo(first);
        assertThat(tokens(acquire(KEEP, five))).isEqualTo(first);

        assertThat(redis.command("GET", Scripts.FENCE)).isEqualTo(counter);
        assertThat(redis.keys()).hasSize(6);
    }

    @Test
    @Faults(15)
    void acquire_repeatedWhenTheBusyOneIsFree_keepsTheTokensOfThoseItHas() {
        scripts.attempt("foreign", "other:1:x", 30_000);
        List<Reply> before = acquire(KEEP, five);
        scripts.release("foreign", "other:1:x");

        List<Long> all = tokens(acquire(KEEP, five));

        assertThat(all.subList(0, 2)).isEqualTo(tokens(before.subList(0, 2)));
        assertThat(all).isSorted().hasSize(5);
    }

    @Test
    @Faults(15)
    void acquire_repeated_neverShortensALease() {
        acquire(ALL_OR_NONE, five);
        List<Member> shorter = five.stream().map(member -> member.lease(1_000)).toList();

        acquire(ALL_OR_NONE, shorter);

        assertThat(five).allMatch(member -> scripts.lockTtl(member.name()) > 20_000);
    }

    // --- release

    @Test
    @Faults({6, 17})
    void release_ofSomeThatAreGone_leavesTheirNewHoldersAlone() {
        acquire(ALL_OR_NONE, five);
        redis.command("DEL", keys.lock("b"), keys.lock("d"));
        scripts.attempt("d", "other:1:x", 30_000);

        assertThat(release(five)).isEqualTo(List.of(1L, 0L, 1L, 0L, 1L));

        assertThat(redis.keys()).containsExactlyInAnyOrder(Scripts.FENCE, keys.lock("d"));
        assertThat(scripts.holder("d")).isEqualTo("other:1:x");
    }

    @Test
    @Faults(17)
    void release_byAnotherOwner_takesNothing() {
        acquire(ALL_OR_NONE, five);
        List<Member> later = five.stream()
                .map(member -> new Member(member.name(), member.owner() + "0", 30_000, "x", 1, 0))
                .toList();

        assertThat(release(later)).isEqualTo(List.of(0L, 0L, 0L, 0L, 0L));

        assertThat(five).allMatch(this::has);
    }

    @Test
    @Faults({44, 57})
    void release_whileOthersWaitForOne_grantsItAndTellsThem() {
        acquire(ALL_OR_NONE, five);
        scripts.queue("b", "w:1:x", 30_000);
        scripts.queue("b", "v:1:y", 30_000);
        try (Resp inbox = inbox()) {
            assertThat(release(five)).isEqualTo(List.of(1L, 1L, 1L, 1L, 1L));
            redis.command("PUBLISH", "distributed_lock:~inbox:end", "no more");

            String[] grant = text(inbox).split(" ");
            assertThat(grant).hasSize(6).startsWith("w:1:x").endsWith(keys.lock("b"));
            assertThat(grant[1]).isEqualTo(scripts.tokenText("b"));
            assertThat(text(inbox)).isEqualTo("no more");
        }
        assertThat(scripts.holder("b")).isEqualTo("w:1:x");
        assertThat(scripts.queued("b")).isEqualTo(List.of("v:1:y"));
    }

    @Test
    void release_ofOneWhoseQueueIsBroken_endsTheAnswerBeforeIt() {
        acquire(ALL_OR_NONE, five);
        redis.command("SET", keys.queue("foreign"), "no queue", "PX", "30000");

        assertThat(release(five)).isEqualTo(List.of(1L, 1L));
        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> release(five.subList(2, 5)))
                .withMessageContaining("WRONGTYPE");
        assertThat(release(five.subList(3, 5))).isEqualTo(List.of(1L, 1L));
    }

    @Test
    @Faults(34)
    void outOfMemory_isAnErrorForWhoAcquires_andNoneForWhoReleases() {
        acquire(ALL_OR_NONE, five);
        redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThatExceptionOfType(RespError.class)
                .isThrownBy(() -> acquire(KEEP, members("m", "n")))
                .withMessageContaining("OOM");
        assertThat(release(five)).isEqualTo(List.of(1L, 1L, 1L, 1L, 1L));

        assertThat(redis.keys()).containsExactly(Scripts.FENCE);
    }

    @Test
    @Faults({34, 44})
    void outOfMemory_whileOthersWaitForOne_stillGrantsIt() {
        acquire(ALL_OR_NONE, five);
        scripts.queue("b", "w:1:x", 30_000);
        redis.command("CONFIG", "SET", "maxmemory", "1");

        List<Object> released = new ArrayList<>();
        while (released.size() < five.size()) {
            released.addAll(release(five.subList(released.size(), five.size())));
        }

        assertThat(released).containsOnly(1L);
        assertThat(scripts.holder("b")).isEqualTo("w:1:x");
    }

    private Resp inbox() {
        Resp inbox = Resp.connect("127.0.0.1", redis.port());
        inbox.call("PSUBSCRIBE", "distributed_lock:~inbox:*");
        return inbox;
    }

    private static String text(Resp inbox) {
        return String.valueOf(((List<?>) requireNonNull(inbox.read())).get(3));
    }
}
