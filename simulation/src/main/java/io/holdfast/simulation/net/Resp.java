package io.holdfast.simulation.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.simulation.redis.RedisModel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The wire format of Redis, as far as a server has to know it: commands that come in, and replies. */
final class Resp {
    private byte[] bytes = new byte[0];
    private int at;

    /** Takes what came in, and returns the commands that are complete. */
    List<List<String>> commands(byte[] from, int offset, int length) {
        byte[] rest = Arrays.copyOfRange(bytes, at, bytes.length + length);
        System.arraycopy(from, offset, rest, bytes.length - at, length);
        bytes = rest;
        at = 0;
        List<List<String>> all = new ArrayList<>();
        for (List<String> next = next(); next != null; next = next()) {
            all.add(next);
        }
        return all;
    }

    private @Nullable List<String> next() {
        int start = at;
        int parts = number('*');
        List<String> command = new ArrayList<>(Math.max(0, parts));
        for (int i = 0; i < parts; i++) {
            int length = number('$');
            if (length < 0 || at + length + 2 > bytes.length) {
                at = start;
                return null;
            }
            command.add(new String(bytes, at, length, UTF_8));
            at += length + 2;
        }
        return parts < 0 ? null : command;
    }

    /** A line with a number; -1 if it is not complete, and then nothing is taken. */
    private int number(char type) {
        for (int end = at; end + 1 < bytes.length; end++) {
            if (bytes[end] == '\r') {
                if (bytes[at] != type) {
                    throw new IllegalStateException("a client sends nonsense: " + (char) bytes[at]);
                }
                int number = Integer.parseInt(new String(bytes, at + 1, end - at - 1, US_ASCII));
                at = end + 2;
                return number;
            }
        }
        return -1;
    }

    static byte[] reply(@Nullable Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        write(value, out);
        return out.toByteArray();
    }

    private static void write(@Nullable Object value, ByteArrayOutputStream out) {
        if (value == null) {
            line("$-1", out);
        } else if (value instanceof Long number) {
            line(":" + number, out);
        } else if (value instanceof RedisModel.Status status) {
            line("+" + status.text(), out);
        } else if (value instanceof RedisModel.ErrorReply error) {
            line("-" + error.message(), out);
        } else if (value instanceof List<?> list) {
            line("*" + list.size(), out);
            list.forEach(part -> write(part, out));
        } else {
            byte[] text = String.valueOf(value).getBytes(UTF_8);
            line("$" + text.length, out);
            out.writeBytes(text);
            line("", out);
        }
    }

    private static void line(String text, ByteArrayOutputStream out) {
        out.writeBytes(text.getBytes(UTF_8));
        out.write('\r');
        out.write('\n');
    }
}
