package io.holdfast.simulation.redis;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What may follow key and value in SET. */
final class SetOptions {
    boolean onlyIfAbsent;
    boolean onlyIfPresent;
    boolean get;
    boolean keepExpiry;
    private @Nullable String expiryKind;
    private String expiry = "";

    private SetOptions() {}

    static SetOptions parse(String[] argv) {
        SetOptions options = new SetOptions();
        for (int i = 3; i < argv.length; i++) {
            String word = argv[i].toUpperCase(Locale.ROOT);
            switch (word) {
                case "NX" -> options.onlyIfAbsent = true;
                case "XX" -> options.onlyIfPresent = true;
                case "GET" -> options.get = true;
                case "KEEPTTL" -> options.keepExpiry = true;
                case "EX", "PX", "EXAT", "PXAT" -> {
                    i++;
                    // The same word twice is no error to Redis.
                    if (i == argv.length || !(options.expiryKind == null || options.expiryKind.equals(word))) {
                        throw RedisError.syntax();
                    }
                    options.expiryKind = word;
                    options.expiry = argv[i];
                }
                default -> throw RedisError.syntax();
            }
        }
        if ((options.onlyIfAbsent && options.onlyIfPresent) || (options.keepExpiry && options.expiryKind != null)) {
            throw RedisError.syntax();
        }
        return options;
    }

    /** In ms, or {@link Database#NEVER}. */
    long expiresAt(long now) {
        if (expiryKind == null) {
            return Database.NEVER;
        }
        long base = expiryKind.endsWith("AT") ? 0 : now;
        return Expiry.absolute(Numbers.parseLong(expiry), expiryKind.startsWith("E"), base, "set");
    }
}
