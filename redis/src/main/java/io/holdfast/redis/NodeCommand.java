package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.redis.link.Script;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A script with its keys and arguments in the form it is sent in: made once, for all servers. */
final class NodeCommand {
    private static final byte[] BY_SHA = "$7\r\nEVALSHA\r\n".getBytes(US_ASCII);
    private static final byte[] BY_TEXT = "$4\r\nEVAL\r\n".getBytes(US_ASCII);

    private final Script script;
    private final int parts;
    private final byte[] rest;

    NodeCommand(Script script, List<String> keys, List<String> args) {
        this.script = script;
        this.parts = 3 + keys.size() + args.size();
        byte[][] words = Stream.of(List.of(Integer.toString(keys.size())), keys, args)
                .flatMap(List::stream)
                .map(word -> word.getBytes(UTF_8))
                .toArray(byte[][]::new);
        int length = 0;
        for (byte[] word : words) {
            length += lengthOf(word);
        }
        this.rest = new byte[length];
        int at = 0;
        for (byte[] word : words) {
            at = put(word, rest, at);
        }
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
        byte[] how = known ? BY_SHA : BY_TEXT;
        byte[] text = known ? script.sha() : script.text();
        byte[] own = last == null ? null : last.getBytes(UTF_8);
        int count = parts + (own == null ? 0 : 1);
        byte[] all = new byte
                [sizeLength(count) + how.length + lengthOf(text) + rest.length + (own == null ? 0 : lengthOf(own))];
        int at = putSize('*', count, all, 0);
        at = copy(how, all, at);
        at = put(text, all, at);
        at = copy(rest, all, at);
        if (own != null) {
            put(own, all, at);
        }
        return all;
    }

    // Bytes are put where they belong, since this is done for every server and every call.

    private static int lengthOf(byte[] word) {
        return sizeLength(word.length) + word.length + 2;
    }

    private static int put(byte[] word, byte[] to, int at) {
        int next = copy(word, to, putSize('$', word.length, to, at));
        to[next++] = '\r';
        to[next++] = '\n';
        return next;
    }

    private static int copy(byte[] from, byte[] to, int at) {
        System.arraycopy(from, 0, to, at, from.length);
        return at + from.length;
    }

    /** Of a type, a number and the end of the line. */
    private static int sizeLength(int size) {
        int digits = 1;
        for (int left = size / 10; left > 0; left /= 10) {
            digits++;
        }
        return digits + 3;
    }

    private static int putSize(char type, int size, byte[] to, int at) {
        int end = at + sizeLength(size);
        to[at] = (byte) type;
        to[end - 1] = '\n';
        to[end - 2] = '\r';
        int left = size;
        for (int i = end - 3; i > at; i--) {
            to[i] = (byte) ('0' + left % 10);
            left /= 10;
        }
        return end;
    }
}
