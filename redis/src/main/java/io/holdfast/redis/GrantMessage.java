package io.holdfast.redis;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The message by which a script tells a client that one of its waiters has a lock: owner, token, how many tokens and, after
 * commas, who stands directly behind it, length in milliseconds, the server's time in microseconds, key of the lock. Blanks
 * stand between them.
 *
 * <p>Taken apart by hand: it comes a few times a second at most, so the code that reads it is mostly interpreted, and the
 * waiter is woken only after it. A pattern takes a hundred steps for each part there.
 */
record GrantMessage(
        String owner,
        long token,
        int tokens,
        List<String> behind,
        long lengthMillis,
        long serverMicros,
        String lockKey) {
    private static final int LONGEST = 16;
    private static final int LONG = 9;
    private static final long NONE = -1;

    /** Null if it is no such message. */
    static @Nullable GrantMessage read(String text) {
        int afterOwner = text.indexOf(' ');
        int afterToken = text.indexOf(' ', afterOwner + 1);
        int afterTokens = text.indexOf(' ', afterToken + 1);
        int afterLength = text.indexOf(' ', afterTokens + 1);
        int afterTime = text.indexOf(' ', afterLength + 1);
        if (afterOwner <= 0
                || afterToken < afterOwner
                || afterTokens < afterToken
                || afterLength < afterTokens
                || afterTime < afterLength
                || afterTime + 1 == text.length()) {
            return null;
        }
        int comma = text.indexOf(',', afterToken);
        boolean row = comma >= 0 && comma < afterTokens;
        if (row && comma + 1 == afterTokens) {
            return null;
        }
        long token = number(text, afterOwner + 1, afterToken, LONGEST);
        long tokens = number(text, afterToken + 1, row ? comma : afterTokens, LONG);
        long length = number(text, afterTokens + 1, afterLength, LONG);
        long time = number(text, afterLength + 1, afterTime, LONGEST);
        if (token == NONE || tokens == NONE || length == NONE || time == NONE) {
            return null;
        }
        String owner = text.substring(0, afterOwner);
        List<String> behind = row ? behind(owner, text.substring(comma + 1, afterTokens)) : List.of();
        return new GrantMessage(owner, token, (int) tokens, behind, length, time, text.substring(afterTime + 1));
    }

    /** They are named without the client, which is that of the owner. */
    private static List<String> behind(String owner, String list) {
        String client = owner.substring(0, owner.indexOf(':') + 1);
        return Arrays.stream(list.split(",")).map(client::concat).toList();
    }

    /** Digits, and not too many of them; {@link #NONE} if it is anything else. */
    private static long number(String text, int from, int to, int longest) {
        if (from == to || to - from > longest) {
            return NONE;
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return NONE;
            }
            number = 10 * number + digit;
        }
        return number;
    }
}
