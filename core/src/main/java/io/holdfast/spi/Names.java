package io.holdfast.spi;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What a lock may be called. Refuses with the value, shortened and printable, and the rule. */
public final class Names {
    private static final int MAX_BYTES = 512;
    private static final int SHOWN = 60;

    private Names() {}

    public static String check(String name) {
        requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw refused("lock name", name, "must not be empty");
        }
        if (name.charAt(0) == '~') {
            throw refused("lock name", name, "must not start with '~', which marks the library's own keys");
        }
        checkText("lock name", name);
        checkTag(name);
        return name;
    }

    public static String checkPrefix(String prefix) {
        requireNonNull(prefix, "keyPrefix");
        if (prefix.isEmpty()) {
            throw refused("key prefix", prefix, "must not be empty");
        }
        checkText("key prefix", prefix);
        if (prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw refused("key prefix", prefix, "must not contain braces");
        }
        if (prefix.indexOf('~') >= 0) {
            // The scripts make the name of one such key from that of another, by what follows the '~'.
            throw refused("key prefix", prefix, "must not contain '~', which marks the library's own keys");
        }
        return prefix;
    }

    private static void checkText(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw refused(what, text, "must not contain control characters; there is one at position " + i);
            }
        }
        if (utf8Length(what, text) > MAX_BYTES) {
            throw refused(what, text, "must not be longer than " + MAX_BYTES + " bytes of UTF-8");
        }
    }

    private static int utf8Length(String what, String text) {
        if (text.length() > MAX_BYTES) {
            return text.length();
        }
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return bytes.remaining();
        } catch (CharacterCodingException e) {
            throw refused(what, text, "must be valid Unicode; it contains half of a surrogate pair");
        }
    }

    /** In a cluster one {tag} decides the slot, so a name may bring one of its own, and only one that Redis would use. */
    private static void checkTag(String name) {
        int open = name.indexOf('{');
        int close = name.indexOf('}');
        if (open < 0 && close < 0) {
            return;
        }
        boolean single =
                open >= 0 && close > open + 1 && name.indexOf('{', open + 1) < 0 && name.indexOf('}', close + 1) < 0;
        if (!single) {
            throw refused("lock name", name, "may contain braces only as one non-empty {tag}");
        }
    }

    private static IllegalArgumentException refused(String what, String value, String rule) {
        StringBuilder shown = new StringBuilder();
        value.codePoints()
                .limit(SHOWN)
                .forEach(c -> shown.appendCodePoint(
                        Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? '?' : c));
        if (value.length() > SHOWN) {
            shown.append("… (").append(value.length()).append(" characters)");
        }
        return new IllegalArgumentException(what + " '" + shown + "' " + rule);
    }
}
