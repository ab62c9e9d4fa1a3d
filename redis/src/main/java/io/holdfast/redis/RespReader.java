package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads replies off a connection, one after the other. What is no reply, or larger and deeper than any reply to a command of
 * ours, ends the connection with an exception.
 */
final class RespReader {
    private static final int LONGEST = 1 << 20;
    private static final int DEEPEST = 4;

    /** An error that the server answered with. */
    record ServerError(String message) {
        boolean isUnknownScript() {
            return message.startsWith("NOSCRIPT");
        }
    }

    private final InputStream in;
    private final byte[] buffer = new byte[8192];
    private int next;
    private int end;

    RespReader(InputStream in) {
        this.in = in;
    }

    /** Long, byte[], String, List, {@link ServerError} or null. Waits for as long as it takes. */
    @Nullable
    Object read() throws IOException {
        return read(0);
    }

    private @Nullable Object read(int depth) throws IOException {
        int type = readByte();
        return switch (type) {
            case ':' -> number(line());
            case '$' -> bytes(number(line()));
            case '*' -> list(number(line()), depth);
            case '+' -> line();
            case '-' -> new ServerError(line());
            default -> throw new IOException("a reply began with byte " + type);
        };
    }

    private @Nullable Object list(long size, int depth) throws IOException {
        if (size == -1) {
            return null;
        }
        check(size);
        if (depth == DEEPEST) {
            throw new IOException("a reply was more than " + DEEPEST + " lists deep");
        }
        List<@Nullable Object> parts = new ArrayList<>((int) Math.min(size, 1024));
        for (long i = 0; i < size; i++) {
            parts.add(read(depth + 1));
        }
        return parts;
    }

    private byte @Nullable [] bytes(long length) throws IOException {
        if (length == -1) {
            return null;
        }
        check(length);
        byte[] bytes = new byte[(int) length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) readByte();
        }
        if (readByte() != '\r' || readByte() != '\n') {
            throw new IOException("a text of " + length + " bytes did not end there");
        }
        return bytes;
    }

    private String line() throws IOException {
        byte[] line = new byte[64];
        int length = 0;
        for (int one = readByte(); one != '\r'; one = readByte()) {
            if (length == line.length) {
                check(2L * length);
                line = java.util.Arrays.copyOf(line, 2 * length);
            }
            line[length++] = (byte) one;
        }
        if (readByte() != '\n') {
            throw new IOException("a line did not end where it should");
        }
        return new String(line, 0, length, UTF_8);
    }

    private static long number(String line) throws IOException {
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw new IOException("a reply had no number where one belongs", e);
        }
    }

    private static void check(long size) throws IOException {
        if (size < 0 || size > LONGEST) {
            throw new IOException("a reply had a size of " + size);
        }
    }

    private int readByte() throws IOException {
        if (next == end) {
            int count = in.read(buffer, 0, buffer.length);
            if (count <= 0) {
                throw new EOFException("closed by the server");
            }
            next = 0;
            end = count;
        }
        return buffer[next++];
    }
}
