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

    /**
     * Waits for more of the next reply, for as long as the socket allows. What has come stays if it does not, and can be read
     * later, also by another thread.
     *
     * @return false if there is no room for more before something is read
     */
    boolean more() throws IOException {
        if (next > 0) {
            System.arraycopy(buffer, next, buffer, 0, end - next);
            end -= next;
            next = 0;
        }
        if (end == buffer.length) {
            return false;
        }
        int count = in.read(buffer, end, buffer.length - end);
        if (count <= 0) {
            throw new EOFException("closed by the server");
        }
        end += count;
        return true;
    }

    /** Whether the next reply can be read without waiting: it is all here, or what is here makes no sense. */
    boolean isWhole() {
        return behind(next, 0) >= 0;
    }

    /** Where the reply ends that begins there; -1 if that has not come yet. */
    private int behind(int start, int depth) {
        int line = start;
        while (line + 1 < end && buffer[line] != '\r') {
            line++;
        }
        if (line + 1 >= end) {
            return -1;
        }
        byte type = buffer[start];
        long size = type == '$' || type == '*' ? size(start + 1, line) : -1;
        int at = line + 2;
        if (size < 0 || size > LONGEST || (type == '*' && depth == DEEPEST)) {
            return at;
        }
        if (type == '$') {
            return size + 2 <= end - at ? at + (int) size + 2 : -1;
        }
        for (long i = 0; i < size && at >= 0; i++) {
            at = behind(at, depth + 1);
        }
        return at;
    }

    /** The number there; -1 if there is none, or one below zero; anything too large if it is. */
    private long size(int from, int to) {
        long size = from < to ? 0 : -1;
        for (int i = from; i < to && size >= 0 && size <= LONGEST; i++) {
            int digit = buffer[i] - '0';
            size = digit >= 0 && digit <= 9 ? 10 * size + digit : -1;
        }
        return size;
    }

    /** Whether something of the next reply is here already. */
    boolean hasMore() {
        return next != end;
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
