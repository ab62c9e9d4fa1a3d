package io.holdfast.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Turns names of locks into tags, of which there are few. What the mapper makes of a name is trusted up to a limit: whatever
 * comes after so many different ones has one tag in common, since a registry keeps every tag for ever.
 */
final class LockNames {
    static final int MOST = 200;
    static final String OTHERS = "(others)";

    private static final Pattern DIGITS = Pattern.compile("[^:/.-]*[0-9][^:/.-]*");

    private final UnaryOperator<String> mapper;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    LockNames(UnaryOperator<String> mapper) {
        this.mapper = mapper;
    }

    /**
     * {@code order:12345} becomes {@code order:*}, and so does {@code order:abc}: what stands behind the last colon is taken for
     * an id. In front of it, and in names without a colon, only parts with a digit are.
     */
    static String pattern(String lockName) {
        int colon = lockName.lastIndexOf(':');
        String kind = DIGITS.matcher(colon < 0 ? lockName : lockName.substring(0, colon))
                .replaceAll("*");
        return colon < 0 ? kind : kind + ":*";
    }

    String tag(String lockName) {
        String tag = mapper.apply(lockName);
        if (seen.contains(tag)) {
            return tag;
        }
        if (seen.size() >= MOST) {
            return OTHERS;
        }
        seen.add(tag);
        return tag;
    }
}
