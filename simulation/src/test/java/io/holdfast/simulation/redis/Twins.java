package io.holdfast.simulation.redis;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real server and the model, told the same. Fails at the first reply that is not the same. */
final class Twins {
    private static final int LONGEST_WORD = 1000;
    private static final long TOLERANCE_MILLIS = 30_000;
    /** Anything lower is no time. */
    private static final long LONG_AGO_MICROS = 1_000_000_000_000_000L;

    private static final Set<String> MILLIS = Set.of("PTTL", "PEXPIRETIME");
    private static final Set<String> SECONDS = Set.of("TTL", "EXPIRETIME");
    private static final Set<String> UNORDERED = Set.of("SMEMBERS", "KEYS", "SCAN");

    private final Resp real;
    private final String title;
    private final RedisModel model;
    private final List<String> published = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private long clockMicros;

    Twins(Resp real, String title) {
        this.real = real;
        this.title = title;
        this.model = new RedisModel(() -> clockMicros, (channel, message) -> {
            published.add(channel + " " + message);
            return channel.startsWith(RedisModelIT.INBOX) ? 1 : 0;
        });
    }

    RedisModel model() {
        return model;
    }

    List<String> published() {
        return published;
    }

    /** Gives the command to both. */
    void same(String... command) {
        history.add(describe(command));
        Object expected = askReal(command);
        clockMicros = 1000 * System.currentTimeMillis();
        check(command, expected, model.execute(List.of(command)));
    }

    /**
     * Gives a script to both that reads the clock and replies with what it read, at the end of a text or as its second element;
     * returns the reply.
     */
    @Nullable
    Object sameWithTime(String... command) {
        history.add(describe(command));
        Object expected = askReal(command);
        Object told = expected instanceof List<?> list && list.size() > 1 ? list.get(1) : expected;
        Object time = told instanceof String text && text.matches("hf1:.*:[0-9]{16}")
                ? Long.valueOf(text.substring(text.length() - 16))
                : told;
        clockMicros =
                time instanceof Long micros && micros > LONG_AGO_MICROS ? micros : 1000 * System.currentTimeMillis();
        check(command, expected, model.execute(List.of(command)));
        return expected;
    }

    /** Compares everything that both hold. */
    void sameState() {
        same("KEYS", "*");
        same("DBSIZE");
        for (String key : model.keys()) {
            same("TYPE", key);
            same("PEXPIRETIME", key);
            switch (model.type(key)) {
                case "string" -> same("GET", key);
                case "hash" -> same("HGETALL", key);
                case "zset" -> same("ZRANGE", key, "0", "-1", "WITHSCORES");
                case "list" -> same("LRANGE", key, "0", "-1");
                default -> same("SMEMBERS", key);
            }
        }
    }

    /** Of our own scripts only the beginning; those made up here are short. */
    private static String describe(String... command) {
        return Stream.of(command)
                .map(word -> word.length() > LONGEST_WORD ? word.substring(0, 40) + "..." : word)
                .collect(joining(" "))
                .replace("\n", "\n      ");
    }

    private @Nullable Object askReal(String... command) {
        try {
            return real.call(command);
        } catch (RespError e) {
            return e;
        }
    }

    private void check(String[] command, @Nullable Object expected, @Nullable Object actual) {
        String name = command[0].toUpperCase(Locale.ROOT);
        Object there = plain(expected);
        Object here = plain(actual);
        if (UNORDERED.contains(name) && there instanceof List<?> a && here instanceof List<?> b) {
            there = a.stream().map(Twins::sorted).sorted().toList();
            here = b.stream().map(Twins::sorted).sorted().toList();
        }
        if (!same(name, there, here)) {
            assertThat(here)
                    .as("%s%n    %s", title, String.join("\n    ", history))
                    .isEqualTo(there);
        }
    }

    /** Also the list inside the reply of SCAN. */
    private static String sorted(Object element) {
        return element instanceof List<?> list
                ? list.stream().map(String::valueOf).sorted().toList().toString()
                : String.valueOf(element);
    }

    private static boolean same(String name, @Nullable Object there, @Nullable Object here) {
        if (there instanceof Long a && here instanceof Long b && a > 0 && b > 0) {
            long tolerance = MILLIS.contains(name) ? TOLERANCE_MILLIS : SECONDS.contains(name) ? 30 : 0;
            return Math.abs(a - b) <= tolerance;
        }
        if (there instanceof List<?> a && here instanceof List<?> b && a.size() == b.size()) {
            return sameElements(name, a, b);
        }
        if (there instanceof String a && here instanceof String b) {
            return sameText(a, b);
        }
        return String.valueOf(there).equals(String.valueOf(here));
    }

    private static boolean sameElements(String name, List<?> a, List<?> b) {
        for (int i = 0; i < a.size(); i++) {
            // In the reply of lock.lua, how long the holder still has.
            boolean time = i == 3 && a.size() == 6 && name.startsWith("EVAL");
            if (!same(time ? "PTTL" : name, a.get(i), b.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** What Lua itself complains about is worded in another way by LuaJ; the line must be the same. */
    private static boolean sameText(String there, String here) {
        boolean ofLua = there.startsWith("!ERR user_script:") && here.startsWith("!ERR user_script:");
        return there.equals(here) || (ofLua && place(there).equals(place(here)));
    }

    private static String place(String error) {
        return error.substring(0, error.indexOf(' ', 5)) + error.substring(error.lastIndexOf(" script: "));
    }

    private static @Nullable Object plain(@Nullable Object reply) {
        if (reply instanceof RespError error) {
            return "!" + error.getMessage();
        }
        if (reply instanceof RedisModel.ErrorReply error) {
            return "!" + error.message();
        }
        if (reply instanceof List<?> list) {
            List<@Nullable Object> plain = new ArrayList<>();
            list.forEach(element -> plain.add(plain(element)));
            return plain;
        }
        return reply instanceof RedisModel.Status status ? status.text() : reply;
    }
}
