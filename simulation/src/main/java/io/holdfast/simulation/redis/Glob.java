package io.holdfast.simulation.redis;

/** The patterns of KEYS and SCAN. */
final class Glob {
    private final String pattern;
    private final String text;

    private Glob(String pattern, String text) {
        this.pattern = pattern;
        this.text = text;
    }

    static boolean matches(String pattern, String text) {
        return new Glob(pattern, text).matches(0, 0);
    }

    private boolean matches(int p, int t) {
        while (p < pattern.length()) {
            char c = pattern.charAt(p);
            if (c == '*') {
                return star(p + 1, t);
            }
            if (t == text.length()) {
                return false;
            }
            if (c == '[') {
                int end = endOfClass(p + 1);
                if (!inClass(p + 1, end, text.charAt(t))) {
                    return false;
                }
                p = end;
            } else if (c != '?') {
                if (c == '\\' && p + 1 < pattern.length()) {
                    p++;
                }
                if (pattern.charAt(p) != text.charAt(t)) {
                    return false;
                }
            }
            p++;
            t++;
        }
        return t == text.length();
    }

    private boolean star(int p, int from) {
        for (int t = from; t <= text.length(); t++) {
            if (matches(p, t)) {
                return true;
            }
        }
        return false;
    }

    /** Where the closing bracket is, or the end if there is none. */
    private int endOfClass(int from) {
        for (int i = from; i < pattern.length(); i++) {
            if (pattern.charAt(i) == '\\') {
                i++;
            } else if (pattern.charAt(i) == ']') {
                return i;
            }
        }
        return pattern.length();
    }

    private boolean inClass(int from, int end, char c) {
        boolean not = from < pattern.length() && pattern.charAt(from) == '^';
        boolean found = false;
        for (int i = not ? from + 1 : from; i < end; i++) {
            if (pattern.charAt(i) == '\\' && i + 1 < end) {
                i++;
                found |= pattern.charAt(i) == c;
            } else if (i + 2 < end && pattern.charAt(i + 1) == '-') {
                int a = pattern.charAt(i);
                int b = pattern.charAt(i + 2);
                found |= c >= Math.min(a, b) && c <= Math.max(a, b);
                i += 2;
            } else {
                found |= pattern.charAt(i) == c;
            }
        }
        return found != not;
    }
}
