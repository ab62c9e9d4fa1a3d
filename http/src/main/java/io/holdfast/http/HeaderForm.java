package io.holdfast.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes the header's form. Strict: what is not exactly of the form is refused, never guessed. */
final class HeaderForm {
    private static final int MOST = 32;
    private static final int LONGEST = 512;
    private static final int LONGEST_LINES = 16 * 1024;
    private static final String PLAIN = "-._~:/";
    private static final Pattern ITEM = Pattern.compile("([A-Za-z0-9._~:/%-]+)=(0|[1-9][0-9]{0,18})");

    private HeaderForm() {}

    static void check(String resource, long token) {
        if (token < 0) {
            throw new IllegalArgumentException("token " + token + " is negative (resource '" + resource + "')");
        }
        int length = resource.getBytes(UTF_8).length;
        if (length == 0 || length > LONGEST) {
            throw new IllegalArgumentException(
                    "resource of " + length + " bytes: 1 to " + LONGEST + " bytes of UTF-8 are allowed");
        }
        if (resource.chars().anyMatch(Character::isISOControl)
                || !UTF_8.newEncoder().canEncode(resource)) {
            throw new IllegalArgumentException("a resource has a control character or half a surrogate pair");
        }
    }

    static void checkNumber(int number) {
        if (number > MOST) {
            throw new IllegalArgumentException("more than " + MOST + " tokens");
        }
    }

    static String encode(String resource) {
        StringBuilder text = new StringBuilder();
        for (byte one : resource.getBytes(UTF_8)) {
            int c = one & 0xff;
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (plain || PLAIN.indexOf(c) >= 0) {
                text.append((char) c);
            } else {
                text.append('%')
                        .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
                        .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
            }
        }
        return text.toString();
    }

    static Map<String, Long> read(List<String> lines) {
        if (lines.stream().mapToInt(String::length).sum() > LONGEST_LINES) {
            throw new IllegalArgumentException("longer than " + LONGEST_LINES + " characters");
        }
        Map<String, Long> tokens = new TreeMap<>();
        int number = 0;
        for (String line : lines) {
            for (String item : line.split(",", -1)) {
                checkNumber(++number);
                readItem(item, number, tokens);
            }
        }
        return tokens;
    }

    /** Messages name the number of an item, never its text: they go back to the sender, and into logs. */
    private static void readItem(String item, int number, Map<String, Long> tokens) {
        Matcher form = ITEM.matcher(trimmed(item));
        if (!form.matches()) {
            throw new IllegalArgumentException("token " + number + " is not of the form resource=number");
        }
        String resource = decode(form.group(1), number);
        long token;
        try {
            token = Long.parseLong(form.group(2));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("token " + number + " is above 2^63 - 1", e);
        }
        check(resource, token);
        if (tokens.put(resource, token) != null) {
            throw new IllegalArgumentException("token " + number + " is for a resource that has one already");
        }
    }

    /** Without the blanks and tabs that a header allows around the items of a list. */
    private static String trimmed(String item) {
        int from = 0;
        int to = item.length();
        while (from < to && (item.charAt(from) == ' ' || item.charAt(from) == '\t')) {
            from++;
        }
        while (to > from && (item.charAt(to - 1) == ' ' || item.charAt(to - 1) == '\t')) {
            to--;
        }
        return item.substring(from, to);
    }

    private static String decode(String text, int number) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '%') {
                bytes.write(c);
                continue;
            }
            int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0) {
                throw new IllegalArgumentException("token " + number + " has a % without two hexadecimal digits");
            }
            bytes.write(high * 16 + low);
            i += 2;
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("token " + number + " is for a resource that is not UTF-8", e);
        }
    }
}
