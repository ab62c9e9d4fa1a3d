package io.holdfast.spi;

import static java.util.Objects.requireNonNull;

/**
 * Where a client runs, for people who look at a lock: not proved, only said. A store may keep it beside the locks.
 *
 * @param host the name that the machine has for itself
 * @param processId the number of the process on that machine
 * @param application what the process is called
 */
public record Origin(String host, long processId, String application) {
    /** Names are no longer than this. */
    public static final int LONGEST = 100;

    public Origin {
        check("host", host);
        check("application", application);
        if (host.indexOf(' ') >= 0) {
            throw new IllegalArgumentException("host '" + host + "' must not contain spaces");
        }
        if (processId < 0) {
            throw new IllegalArgumentException("processId " + processId + " is negative");
        }
    }

    private static void check(String what, String text) {
        requireNonNull(text, what);
        if (text.isBlank() || text.length() > LONGEST) {
            throw new IllegalArgumentException(what + " must have 1 to " + LONGEST + " characters, and has "
                    + (text.isBlank() ? "none" : text.length()));
        }
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (isUnprintable(text.codePointAt(i))) {
                throw new IllegalArgumentException(
                        what + " must be printable text, and contains a control character or half of a surrogate pair");
            }
        }
    }

    private static boolean isUnprintable(int character) {
        int type = Character.getType(character);
        return Character.isISOControl(character)
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    /** Any text as one that may stand here: what may not is replaced, and what is too long is cut. */
    public static String printable(String text) {
        String stripped = text.strip();
        StringBuilder shown = new StringBuilder();
        int next = 0;
        while (next < stripped.length()) {
            int character = stripped.codePointAt(next);
            next += Character.charCount(character);
            int printed = isUnprintable(character) ? '?' : character;
            if (shown.length() + Character.charCount(printed) > LONGEST) {
                break;
            }
            shown.appendCodePoint(printed);
        }
        return shown.isEmpty() ? "?" : shown.toString();
    }

    /** As a person would write it. */
    @Override
    public String toString() {
        return application + " (process " + processId + " on " + host + ")";
    }
}
