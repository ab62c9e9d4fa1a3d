package io.holdfast.simulation.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Inside the model a string has one character for each byte, as Redis and Lua see it; outside it is ordinary text. For
 * plain ASCII both are the same.
 */
final class Text {
    private Text() {}

    static String inside(String text) {
        return isAscii(text) ? text : new String(text.getBytes(UTF_8), ISO_8859_1);
    }

    static String outside(String bytes) {
        return isAscii(bytes) ? bytes : new String(bytes.getBytes(ISO_8859_1), UTF_8);
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
