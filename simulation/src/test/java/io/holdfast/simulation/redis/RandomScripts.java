package io.holdfast.simulation.redis;

import java.util.List;
import java.util.Random;
import java.util.StringJoiner;

/** Scripts out of fragments: numbers and text in all their conversions, and commands with and without errors. */
final class RandomScripts {
    private static final List<String> NUMBERS = List.of(
            "0",
            "1",
            "-1",
            "3.99",
            "-3.99",
            "0.1",
            "1e15",
            "2^53",
            "2^53-1",
            "123456789012345",
            "1794744602781641",
            "2147483647",
            "2147483648",
            "-2147483649",
            "1e100",
            "1/0",
            "-1/0",
            "1e17",
            "7 % 3",
            "-7 % 3",
            "7 % -3",
            "10 / 4",
            "1/3",
            "'10' + 5",
            "'0x10' + 0",
            "' 7 ' * 1",
            "math.floor(3.7)",
            "math.ceil(-3.7)",
            "math.max(1, 2.5, 2)",
            "math.min(3, 2)",
            "math.abs(-4)",
            "#'abc'",
            "#ARGV",
            "tonumber('12')",
            "tonumber('9007199254740993')",
            "tonumber('ff', 16)",
            "tonumber('1e3')",
            "select('#', 1, 2)",
            "2147483647 + 1",
            "65536 * 65536",
            "-(2^31)",
            "math.fmod(7, 3)",
            "1e14",
            "99999999999999",
            "1e-5",
            "123.456e10",
            "5e-324");
    private static final List<String> TEXTS = List.of(
            "'a'",
            "''",
            "'é'",
            "KEYS[1]",
            "ARGV[1]",
            "'10'",
            "type(nil)",
            "string.sub('hello', 2, -2)",
            "string.rep('ab', 3)",
            "string.upper('aé')",
            "string.gsub('hello', 'l', 'L')",
            "table.concat({1, 'b', 2.5}, ',')",
            "string.match('12 34', '^(%d+) (%d+)$')",
            "string.match('key=v', '[^=]*')",
            "('x'):rep(2)",
            "string.reverse('abc')",
            "string.char(104, 105)",
            "redis.sha1hex('a')",
            "string.format('%q', 'a\"b')",
            "table.concat({})");
    private static final List<String> OTHERS = List.of(
            "true",
            "false",
            "{}",
            "{1, 2}",
            "{1, nil, 3}",
            "{a = 1}",
            "{ok = 'fine'}",
            "{err = 'BAD thing'}",
            "{ok = 1}",
            "{{1, 'x'}, {true, false}}",
            "redis.error_reply('MY error')",
            "redis.error_reply('one')",
            "redis.error_reply(1)",
            "redis.status_reply('YES')",
            "redis.status_reply()",
            "{unpack({1, 2, 3})}",
            "{unpack({1, 2, 3}, 2, 3)}",
            "string.find('a.b', '.', 1, true)",
            "1 < 2",
            "'a' < 'b'",
            "'a' == 'a'",
            "nil == false",
            "not nil",
            "redis.call('GET', 'nothing')",
            "redis.call('PING')",
            "redis.call('ECHO', 'e')",
            "redis.call('MGET', 'a', 'b')",
            "{pcall(function() return 1, 2 end)}",
            "{pcall(error, 'plain')}",
            "{pcall(function() error('placed') end)}",
            "{pcall(function() error({err = 'TAB le'}) end)}",
            "{pcall(redis.call, 'NOSUCH')}",
            "{pcall(redis.call, 'GET')}",
            "tonumber('x')",
            "tostring(nil)",
            "function() end");
    private static final List<String> FAILURES = List.of(
            "redis.call('NOSUCH')",
            "redis.call('GET')",
            "redis.call()",
            "redis.call({})",
            "redis.call('EVAL', 'x', 0)",
            "x = 1",
            "local y = x",
            "error('boom')",
            "error('boom', 0)",
            "error({err = 'BOOM here'})",
            "local a = nil; a.b = 1",
            "local a = string.format('%s', nil)",
            "local a = string.format('%d')",
            "local a = string.format('%s', true)",
            "local a = {} + 1",
            "local a = 'x' .. {}",
            "local a = 1 < 'x'",
            "string.x = 1",
            "assert(false)",
            "assert(nil, 'said')",
            "redis.nothing()",
            "redis.sha1hex()",
            "local f = (function() redis.call('GET') end)()");

    private final Random random;
    private final RandomCommands commands;

    RandomScripts(Random random, RandomCommands commands) {
        this.random = random;
        this.commands = commands;
    }

    /** A whole EVAL. */
    String[] next() {
        StringJoiner script = new StringJoiner("\n");
        script.add("local r = {}");
        int steps = 1 + random.nextInt(6);
        for (int i = 0; i < steps; i++) {
            script.add(step());
        }
        script.add("return " + (random.nextInt(4) == 0 ? value() : "r"));
        return new String[] {"EVAL", script.toString(), "1", commands.key(), commands.pick(List.of("arg", "12", "é"))};
    }

    private String step() {
        return switch (random.nextInt(12)) {
            case 0 -> random.nextInt(4) == 0 ? commands.pick(FAILURES) : "";
            case 1 -> "for i = 1, 3 do r[#r + 1] = i .. ':' .. " + text() + " end";
            case 2 -> "local v = " + value() + "\nif v then r[#r + 1] = type(v) else r[#r + 1] = 'no' end";
            case 3, 4, 5 ->
                "local v = redis.pcall(" + command() + ")\nif type(v) == 'table' then r[#r + 1] = v.err or v.ok or #v"
                        + " else r[#r + 1] = v end";
            case 6 -> random.nextInt(3) == 0 ? "r[#r + 1] = redis.call(" + command() + ")" : "";
            default -> "r[#r + 1] = " + value();
        };
    }

    private String command() {
        StringJoiner words = new StringJoiner(", ");
        for (String word : commands.next()) {
            words.add("'" + word.replace("\\", "\\\\") + "'");
        }
        if (random.nextInt(4) == 0) {
            // No key but a number, as an argument that Redis has to print.
            return "'ECHO', " + number();
        }
        String line = words.toString();
        // Their order is the server's own affair.
        return line.matches("'(SMEMBERS|KEYS|SCAN|TTL|PTTL|EXPIRETIME|PEXPIRETIME)'.*") ? "'PING'" : line;
    }

    private String value() {
        return switch (random.nextInt(5)) {
            case 0 -> number();
            case 1 -> text();
            case 2 ->
                "string.format('"
                        + commands.pick(
                                List.of("%.0f", "%d", "%s", "%.3f", "%g", "%5.1f", "%e", "%.14g", "%10s", "%-6d"))
                        + "', "
                        + commands.pick(List.of(
                                "0",
                                "1",
                                "-1",
                                "3.99",
                                "2^53-1",
                                "1794744602781641",
                                "0.5",
                                "1e15",
                                "2.5",
                                "1e18",
                                "-123.456"))
                        + ")";
            default -> commands.pick(OTHERS);
        };
    }

    private String number() {
        String number = commands.pick(NUMBERS);
        return random.nextInt(3) == 0 ? "(" + number + ") * 2 - 1" : number;
    }

    private String text() {
        return switch (random.nextInt(4)) {
            case 0 -> "tostring(" + number() + ")";
            case 1 -> "(" + number() + ") .. '|' .. " + "(" + commands.pick(TEXTS) + ")";
            case 2 -> "'<' .. (" + number() + ") .. (" + number() + ")";
            default -> commands.pick(TEXTS);
        };
    }
}
