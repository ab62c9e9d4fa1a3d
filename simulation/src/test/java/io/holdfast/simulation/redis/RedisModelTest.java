package io.holdfast.simulation.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the comparison with a real server does not reach: exact moments, moods, restarts; and each mend of LuaJ. */
class RedisModelTest {
    private static final String OOM = "OOM command not allowed when used memory > 'maxmemory'.";

    private long micros = 1_794_744_602_781_641L;
    private final List<String> published = new ArrayList<>();
    private final RedisModel redis = new RedisModel(() -> micros, (channel, message) -> {
        published.add(channel + " " + message);
        return 1;
    });

    private @Nullable Object run(String... command) {
        return redis.execute(List.of(command));
    }

    private @Nullable Object eval(String script) {
        return run("EVAL", script, "0");
    }

    private String error(String... command) {
        return run(command) instanceof RedisModel.ErrorReply reply ? reply.message() : "no error";
    }

    // --- LuaJ

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'%.0f', 2^53-1 | 9007199254740991",
                "'%.0f', 1794744602781641 | 1794744602781641",
                "'%.0f', 0.5 | 0",
                "'%.0f', 1.5 | 2",
                "'%.0f', 1e22 | 10000000000000000000000",
                "'%.0f', -0.2 | -0",
                "'%d', 2^53-1 | 9007199254740991",
                "'%d', -3.9 | -3",
                "'%05d/%-5d/%+d/%5.3d', 42, 42, 42, 7 | 00042/42   /+42/  007",
                "'%5.2f', 1.005 | ~ 1.00~",
                "'%g %g %g', 1e20, 0.0001, 100000 | 1e+20 0.0001 100000",
                "'%e', 12345.678 | 1.234568e+04",
                "'%x %X %o', 255, 255, 8 | ff FF 10",
                "'%s %s', 2^53, 0.1 | 9.007199254741e+15 0.1",
                "'%.2s/%5s/%%', 'abc', 'x' | ab/    x/%",
                "'%c%c', 104, 105 | hi",
            })
    void formatsAsC(String arguments, String expected) {
        assertThat(eval("return string.format(" + arguments + ")")).isEqualTo(expected);
    }

    @Test
    void formatsNothingAsText() {
        assertThat(error("EVAL", "return string.format('%s', nil)", "0"))
                .startsWith("ERR user_script:1: bad argument #2 to 'format' (string expected, got nil) script: ");
    }

    @ParameterizedTest
    @CsvSource({
        "2^53, 9.007199254741e+15",
        "123456789012345, 1.2345678901234e+14",
        "12345678901234, 12345678901234",
        "0.1 + 0.2, 0.3",
        "1/3, 0.33333333333333",
        "1e100, 1e+100",
        "-1/0, -inf",
        "3, 3",
        "2^31, 2147483648",
    })
    void printsNumbersWithFourteenDigits(String number, String expected) {
        assertThat(eval("return tostring(" + number + ")")).isEqualTo(expected);
        assertThat(eval("local n = " + number + " return 'a' .. n .. 'b'")).isEqualTo("a" + expected + "b");
        assertThat(eval("local n = " + number + " return n .. ''")).isEqualTo(expected);
        assertThat(eval("return table.concat({" + number + ", 'x'}, ' ')")).isEqualTo(expected + " x");
        assertThat(eval("return string.sub(" + number + ", 1)")).isEqualTo(expected);
        assertThat(eval("return #string.upper(" + number + ")")).isEqualTo((long) expected.length());
    }

    @Test
    void concatenatesInLoopsBranchesAndFunctions() {
        String script = """
                local function join(list)
                  local text = ''
                  for i, part in ipairs(list) do
                    if i > 1 then text = text .. ',' .. i .. '=' end
                    text = text .. part
                  end
                  return text
                end
                local n = 0
                while n < 3 do n = n + 1; if ('x' .. n) == 'x2' then break end end
                for i = 10, 1, -3 do n = n .. i end
                return join({ 'a', 'b', 'c' }) .. n .. (false or 'z' .. 1)
                """;
        assertThat(eval(script)).isEqualTo("a,2=b,3=c210741z1");
    }

    @Test
    void hasTheLibraryOfLua51() {
        assertThat(eval("return {unpack({1, 2, 3})}")).isEqualTo(List.of(1L, 2L, 3L));
        assertThat(eval("return {unpack({1, 2, 3}, 2)}")).isEqualTo(List.of(2L, 3L));
        assertThat(eval("return ('a,b'):find(',', 1, true)")).isEqualTo(2L);
        assertThat(eval("return table.unpack == nil and table.pack == nil")).isEqualTo(1L);
        assertThat(error("EVAL", "return bit32", "0")).contains("nonexistent global variable 'bit32'");
    }

    @Test
    void countsExactlyUpToTheLastWholeNumber() {
        String last = "9007199254740991";
        assertThat(run("EVAL", "return tonumber(ARGV[1])", "0", last)).isEqualTo(9007199254740991L);
        assertThat(run("EVAL", "return tonumber(ARGV[1]) - 1", "0", last)).isEqualTo(9007199254740990L);
        assertThat(run("EVAL", "return redis.call('ECHO', ARGV[1] + 0)", "0", last))
                .isEqualTo(last);
        assertThat(eval("local t = redis.call('TIME') return t[1] * 1000000 + t[2]"))
                .isEqualTo(micros);
        assertThat(eval("return redis.call('ECHO', 0.1)")).isEqualTo("0.10000000000000001");
        assertThat(eval("return redis.call('ECHO', 1e17)")).isEqualTo("1e+17");
    }

    @Test
    void scriptsKeepNothing() {
        assertThat(error("EVAL", "x = 1", "0"))
                .startsWith("ERR user_script:1: Attempt to modify a readonly table script: ")
                .endsWith(", on @user_script:1.");
        assertThat(error("EVAL", "\nreturn x", "0"))
                .startsWith("ERR user_script:2: Script attempted to access nonexistent global variable 'x' script: ")
                .endsWith(", on @user_script:2.");
        assertThat(error("EVAL", "string.x = 1", "0")).contains("readonly table");
        assertThat(error("EVAL", "rawset(_G, 'x', 1)", "0")).contains("readonly table");
        assertThat(error("EVAL", "redis.call = 1", "0")).contains("readonly table");
        assertThat(eval("return math.random(1000)")).isEqualTo(eval("return math.random(1000)"));
    }

    @Test
    void scriptsSeeBytes() {
        run("SET", "ключ", "é");
        assertThat(run("EVAL", "return {redis.call('GET', KEYS[1]), #redis.call('GET', KEYS[1])}", "1", "ключ"))
                .isEqualTo(List.of("é", 2L));
        assertThat(redis.keys()).containsExactly("ключ");
        assertThat(redis.value("ключ")).isEqualTo("é");
    }

    // --- time

    @Test
    void aKeyIsThereInItsLastMillisecond() {
        micros = 1_000_000;
        run("SET", "a", "1", "PX", "100");
        micros = 1_100_999;
        assertThat(run("GET", "a")).isEqualTo("1");
        assertThat(run("PTTL", "a")).isEqualTo(0L);
        assertThat(redis.expiresAtMillis("a")).isEqualTo(1_100);
        micros = 1_101_000;
        assertThat(redis.keys()).isEmpty();
        assertThat(redis.type("a")).isEqualTo("none");
        assertThat(run("DBSIZE")).isEqualTo(1L);
        assertThat(run("GET", "a")).isNull();
        assertThat(run("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void noKeyExpiresWhileAScriptRuns() {
        long[] ticking = {1_000_000};
        RedisModel server = new RedisModel(() -> ticking[0] += 50_000, (channel, message) -> 0);
        server.execute(List.of("SET", "a", "1", "PX", "70"));
        Object reply = server.execute(List.of(
                "EVAL",
                "local t = redis.call('TIME')[2] return {redis.call('TIME')[2] - t, redis.call('GET', 'a')}",
                "0"));
        assertThat(reply).isEqualTo(List.of(50_000L, "1"));
        assertThat(server.execute(List.of("GET", "a"))).isNull();
    }

    // --- scripts at the server

    @Test
    void knowsAScriptUntilItIsFlushedOrForgotten() {
        String sha = String.valueOf(run("SCRIPT", "LOAD", "return 7"));
        assertThat(run("EVALSHA", sha, "0")).isEqualTo(7L);
        run("SCRIPT", "FLUSH");
        assertThat(error("EVALSHA", sha, "0")).isEqualTo("NOSCRIPT No matching script. Please use EVAL.");
        eval("return 7");
        assertThat(run("SCRIPT", "EXISTS", sha, "x")).isEqualTo(List.of(1L, 0L));
        redis.forget();
        assertThat(error("EVALSHA", sha, "0")).startsWith("NOSCRIPT");
    }

    @Test
    void aSnapshotBringsTheDataBackAndNotTheScripts() {
        eval("return 7");
        run("SET", "a", "1", "PX", "100");
        run("ZADD", "z", "1", "m");
        run("HSET", "h", "f", "v");
        String life = redis.runId();
        RedisModel.Snapshot snapshot = redis.snapshot();
        run("DEL", "a");
        run("ZADD", "z", "2", "n");
        run("HSET", "h", "f", "w");
        for (int i = 0; i < 2; i++) {
            redis.restore(snapshot);
            assertThat(redis.value("a")).isEqualTo("1");
            assertThat(redis.expiresAtMillis("a")).isEqualTo(micros / 1000 + 100);
            assertThat(redis.sortedSet("z")).isEqualTo(Map.of("m", 1.0));
            assertThat(redis.hash("h")).isEqualTo(Map.of("f", "v"));
            run("ZREM", "z", "m");
        }
        assertThat(run("SCRIPT", "EXISTS", CompiledScript.sha1("return 7"))).isEqualTo(List.of(0L));
        assertThat(redis.runId()).isNotEqualTo(life);
    }

    // --- moods

    @Test
    void withoutMemoryTheFirstWriteOfAScriptDecides() {
        run("SET", "a", "1");
        redis.setMood(ServerMood.OOM);
        assertThat(error("SET", "b", "1")).isEqualTo(OOM);
        assertThat(run("GET", "a")).isEqualTo("1");
        assertThat(run("PEXPIRE", "a", "100")).isEqualTo(1L);
        assertThat(error("EVAL", "return redis.call('SET', 'b', '1')", "0")).startsWith(OOM + " script: ");
        assertThat(eval("return redis.pcall('SET', 'b', '1').err")).isEqualTo(OOM);
        assertThat(error("EVAL", "redis.call('PUBLISH', 'c', 'm') return redis.pcall('SET', 'b', '1')", "0"))
                .isEqualTo(OOM);
        assertThat(eval("redis.call('DEL', 'nothing') return redis.call('SET', 'b', '1')"))
                .isEqualTo(RedisModel.OK);
    }

    @Test
    void aReplicaRefusesWrites() {
        redis.setMood(ServerMood.READONLY);
        assertThat(error("DEL", "a")).isEqualTo("READONLY You can't write against a read only replica.");
        assertThat(error("EVAL", "return redis.call('DEL', 'a')", "0")).startsWith("READONLY You can't");
        assertThat(eval("return redis.call('GET', 'a')")).isNull();
    }

    @Test
    void otherMoodsRefuseWhatARealServerRefuses() {
        redis.setMood(ServerMood.LOADING);
        assertThat(error("PING")).isEqualTo("LOADING Redis is loading the dataset in memory");
        assertThat(String.valueOf(run("INFO", "server"))).contains("run_id:" + redis.runId());
        redis.setMood(ServerMood.BUSY);
        assertThat(error("TIME")).startsWith("BUSY Redis is busy running a script.");
        redis.setMood(ServerMood.MISCONF);
        assertThat(error("PING")).startsWith("MISCONF Redis is configured to save RDB snapshots");
        assertThat(error("EVAL", "return redis.call('DEL', 'a')", "0")).startsWith("MISCONF ");
        redis.setMood(ServerMood.NOPERM);
        assertThat(error("EVALSHA", "x", "0"))
                .isEqualTo("NOPERM this user has no permissions to run the 'evalsha' command");
        assertThat(error("SCRIPT", "LOAD", "x"))
                .isEqualTo("NOPERM this user has no permissions to run the 'script|load' command");
        redis.setMood(ServerMood.NORMAL);
        assertThat(run("PING")).isEqualTo(new RedisModel.Status("PONG"));
    }

    // --- our scripts

    @Test
    void theLockGoesToWhoWaits() {
        String script = new String(Script.LOCK.text(), UTF_8);
        assertThat(lock(script, "A", "c1:1:1")).isEqualTo(List.of(1L, micros, 0L, micros + 2_000_000, 1L));
        assertThat(lock(script, "A", "c2:1:1")).isEqualTo(List.of(2L, micros, 0L, 10_000L, 0L, 1L));
        assertThat(lock(script, "R", "c1:1:1")).isEqualTo(List.of(1L, micros));
        assertThat(published)
                .containsExactly("~inbox:c2 c2:1:1 " + (micros + 2_000_001) + " 1 2000 " + micros + " lock");
        assertThat(redis.value("lock")).isEqualTo("hf1:c2:1:1:" + (micros + 2_000_001));
    }

    @Test
    void modelsInSeveralThreadsShareTheScriptsAndNothingElse() {
        List<String> outcomes =
                IntStream.range(0, 4).parallel().mapToObj(i -> contend()).toList();
        assertThat(outcomes).hasSize(4).containsOnly(contend());
    }

    private static String contend() {
        long[] clock = {1_794_744_602_781_641L};
        StringBuilder outcome = new StringBuilder();
        RedisModel server = new RedisModel(() -> clock[0], (channel, message) -> {
            outcome.append(message);
            return 1;
        });
        String script = new String(Script.LOCK.text(), UTF_8);
        for (int i = 0; i < 200; i++) {
            clock[0] += 1_000_000;
            List<String> command = new ArrayList<>(List.of("EVAL", script, "4", "lock", "queue", "tickets", "~fence"));
            command.addAll(List.of(i % 3 == 0 ? "R" : "A", "c" + i % 4 + ":1:1", "10000"));
            command.addAll(List.of("9000000000000000", "6000", "2000"));
            outcome.append(server.execute(command));
        }
        return outcome.toString();
    }

    private @Nullable Object lock(String script, String operation, String owner) {
        return run(
                "EVAL",
                script,
                "4",
                "lock",
                "queue",
                "tickets",
                "~fence",
                operation,
                owner,
                "10000",
                Long.toString(micros + 1_000_000),
                "6000",
                "2000",
                "1");
    }
}
