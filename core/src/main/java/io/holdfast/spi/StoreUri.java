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
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*", Pattern.DOTALL);
    private static final Pattern SECRET = Pattern.compile("(?<=[:/])([^/@]*):[^@]*@(?=[^@]*$)");

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

    /** Hides what stands between a colon and the last @. */
    static String mask(String text) {
        return SECRET.matcher(text).replaceAll("$1:***@");
    }

    @Override
    public String toString() {
        return mask(text);
    }
}
