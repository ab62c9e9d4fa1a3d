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
            case ':' -> number();
            case '$' -> bytes(number());
            case '*' -> list(number(), depth);
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
        for (int i = 0; i < bytes.length; ) {
            fill();
            int some = Math.min(bytes.length - i, end - next);
            System.arraycopy(buffer, next, bytes, i, some);
            next += some;
            i += some;
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

    /** Read as it comes, without a text in between: most of every reply is numbers. */
    private long number() throws IOException {
        int one = readByte();
        boolean negative = one == '-';
        if (negative) {
            one = readByte();
        }
        // Below zero there is one number more than above.
        long value = 0;
        boolean any = false;
        for (; one != '\r'; one = readByte()) {
            int digit = one - '0';
            if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
                throw noNumber();
            }
            value = 10 * value - digit;
            any = true;
        }
        if (!any || (!negative && value == Long.MIN_VALUE) || readByte() != '\n') {
            throw noNumber();
        }
        return negative ? value : -value;
    }

    private static IOException noNumber() {
        return new IOException("a reply had no number where one belongs");
    }

    private static void check(long size) throws IOException {
        if (size < 0 || size > LONGEST) {
            throw new IOException("a reply had a size of " + size);
        }
    }

    private int readByte() throws IOException {
        fill();
        return buffer[next++];
    }

    /** Waits until there is something to read. */
    private void fill() throws IOException {
        if (next == end) {
            int count = in.read(buffer, 0, buffer.length);
            if (count <= 0) {
                throw new EOFException("closed by the server");
            }
            next = 0;
            end = count;
        }
    }
}
