package io.holdfast.spi;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A store's URI, kept as text since not every store's fits {@link java.net.URI}. Its {@link #toString()} hides the
 * password, so that it can stand in a message or a log.
 *
 * @param text the whole URI, secrets included
 */
public record StoreUri(String text) {
    private static final Pattern PASSWORD = Pattern.compile("(?i)(password=).*", Pattern.DOTALL);
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*", Pattern.DOTALL);

    public StoreUri {
        requireNonNull(text, "uri");
        if (!SCHEME.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "store URI '" + mask(text) + "' has no scheme: write it like redis://localhost:6379 or memory:");
        }
    }

    /** What stands before the first colon, in lower case. */
    public String scheme() {
        return text.substring(0, text.indexOf(':')).toLowerCase(Locale.ROOT);
    }

    /** What stands behind the first colon, secrets included. */
    public String rest() {
        return text.substring(text.indexOf(':') + 1);
    }

    /**
     * Hides what stands before the last @, but for a user. The text may be malformed, so nothing in it is believed to end
     * a password but that @; without a colon, what stands there may be one. Behind the @ hides all from a parameter on
     * whose name ends like a password's.
     */
    static String mask(String text) {
        int end = text.lastIndexOf('@');
        if (end < 0) {
            return maskParameters(text);
        }
        int scheme = text.indexOf(':');
        int start = text.startsWith("://", scheme) && scheme < end ? scheme + 3 : 0;
        int colon = text.indexOf(':', start);
        int secret = colon < 0 || colon > end ? start : colon + 1;
        return text.substring(0, secret) + "***" + maskParameters(text.substring(end));
    }

    private static String maskParameters(String text) {
        return PASSWORD.matcher(text).replaceFirst("$1***");
    }

    @Override
    public String toString() {
        return mask(text);
    }
}
