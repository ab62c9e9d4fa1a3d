package io.holdfast.servers;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a stream of bytes into whole RESP messages (RESP2 and RESP3). What is not RESP, such as TLS or another server's
 * protocol, passes in pieces as it comes. Not thread safe.
 */
final class RespFrames {
    private static final int INCOMPLETE = -1;

    private byte[] rest = new byte[0];
    private boolean resp;

    RespFrames(boolean resp) {
        this.resp = resp;
    }

    boolean isResp() {
        return resp;
    }

    /** The messages completed by these bytes. */
    List<byte[]> add(byte[] bytes, int length) {
        if (!resp) {
            return List.of(Arrays.copyOf(bytes, length));
        }
        ByteArrayOutputStream joined = new ByteArrayOutputStream(rest.length + length);
        joined.writeBytes(rest);
        joined.write(bytes, 0, length);
        rest = joined.toByteArray();
        try {
            return takeComplete();
        } catch (IllegalArgumentException e) {
            resp = false;
            byte[] all = rest;
            rest = new byte[0];
            return List.of(all);
        }
    }

    private List<byte[]> takeComplete() {
        List<byte[]> frames = new ArrayList<>();
        int start = 0;
        for (int end = end(start); end != INCOMPLETE; end = end(start)) {
            frames.add(Arrays.copyOfRange(rest, start, end));
            start = end;
        }
        rest = Arrays.copyOfRange(rest, start, rest.length);
        return frames;
    }

    /** Where the message that begins at this position ends. */
    private int end(int start) {
        int lineEnd = lineEnd(start);
        if (lineEnd == INCOMPLETE) {
            return INCOMPLETE;
        }
        return switch (rest[start]) {
            case '+', '-', ':', '_', '#', ',', '(' -> lineEnd;
            case '$', '=', '!' -> endOfBulk(start, lineEnd);
            case '*', '~', '>' -> endOfItems(lineEnd, number(start, lineEnd));
            case '%' -> endOfItems(lineEnd, 2 * number(start, lineEnd));
            // attributes stand before the reply they describe
            case '|' -> endOfItems(lineEnd, 2 * number(start, lineEnd) + 1);
            default -> throw new IllegalArgumentException("not RESP");
        };
    }

    private int endOfBulk(int start, int lineEnd) {
        long length = number(start, lineEnd);
        if (length < 0) {
            return lineEnd;
        }
        long end = lineEnd + length + 2;
        return end <= rest.length ? (int) end : INCOMPLETE;
    }

    private int endOfItems(int lineEnd, long count) {
        int end = lineEnd;
        for (long i = 0; i < count && end != INCOMPLETE; i++) {
            end = end(end);
        }
        return end;
    }

    private int lineEnd(int start) {
        for (int i = start; i < rest.length; i++) {
            if (rest[i] == '\n') {
                return i + 1;
            }
        }
        return INCOMPLETE;
    }

    private long number(int start, int lineEnd) {
        long value = 0;
        boolean negative = rest[start + 1] == '-';
        for (int i = start + (negative ? 2 : 1); i < lineEnd - 2; i++) {
            if (rest[i] < '0' || rest[i] > '9') {
                throw new IllegalArgumentException("not a RESP length");
            }
            value = value * 10 + (rest[i] - '0');
        }
        return negative ? -value : value;
    }
}
