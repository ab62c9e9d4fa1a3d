package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.redis.link.Script;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A script with its keys and arguments in the form it is sent in: made once, for all servers. */
final class NodeCommand {
    private static final byte[] END = {'\r', '\n'};

    private final Script script;
    private final int parts;
    private final byte[] rest;

    NodeCommand(Script script, List<String> keys, List<String> args) {
        this.script = script;
        this.parts = 3 + keys.size() + args.size();
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        bytes(Integer.toString(keys.size()).getBytes(US_ASCII), out);
        keys.forEach(key -> bytes(key.getBytes(UTF_8), out));
        args.forEach(arg -> bytes(arg.getBytes(UTF_8), out));
        this.rest = out.toByteArray();
    }

    Script script() {
        return script;
    }

    /**
     * What is sent to one server.
     *
     * @param known whether the server knows the script
     * @param last an argument for this server alone, behind all others; null if there is none
     */
    byte[] encoded(boolean known, @Nullable String last) {
        byte[] text = known ? script.sha() : script.text();
        ByteArrayOutputStream out = new ByteArrayOutputStream(rest.length + text.length + 96);
        size('*', parts + (last == null ? 0 : 1), out);
        bytes((known ? "EVALSHA" : "EVAL").getBytes(US_ASCII), out);
        bytes(text, out);
        out.write(rest, 0, rest.length);
        if (last != null) {
            bytes(last.getBytes(UTF_8), out);
        }
        return out.toByteArray();
    }

    private static void bytes(byte[] bytes, ByteArrayOutputStream out) {
        size('$', bytes.length, out);
        out.write(bytes, 0, bytes.length);
        out.write(END, 0, 2);
    }

    private static void size(char type, int size, ByteArrayOutputStream out) {
        out.write(type);
        byte[] digits = Integer.toString(size).getBytes(US_ASCII);
        out.write(digits, 0, digits.length);
        out.write(END, 0, 2);
    }
}
