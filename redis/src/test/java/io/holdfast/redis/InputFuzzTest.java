package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Backoff;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;

/**
 * What users write: addresses, names and options, good ones and their neighbours. Each is taken, and means what it says,
 * or refused with its value and without its password. {@code -Dfuzz.seed=N -Dfuzz.inputs=1} repeats a failure.
 */
class InputFuzzTest {
    private static final int INPUTS = Integer.getInteger("fuzz.inputs", 4_000);
    private static final long FIRST = Long.getLong("fuzz.seed", 1);
    private static final List<String> URIS = List.of(
            "redis://host",
            "rediss://host:6380/3",
            "redis://[::1]:6379",
            "redis://u:%s@host:7/1",
            "redis://:%s@host",
            "rediss://u:a%%40%s@10.0.0.7",
            "redis://u:%s@[fe80::1]/0",
            "memory:",
            "memory:shop",
            "redis:%s@host");
    private static final String ODD = ":/@?#[]%+&= \t\n\0'\"\\{}~*é漢\uD83D\uDE00\uD800_-.019aZ";

    @Test
    void anyUri_isTakenOrRefusedWithoutItsPassword() {
        int taken = 0;
        for (long seed = FIRST; seed < FIRST + INPUTS; seed++) {
            Random random = new Random(seed);
            // Both halves of a password in which somebody may have left a slash.
            String password = "alibaba" + (random.nextInt(3) == 0 ? pick(random) : "") + "s3same";
            String text = mutated(random, URIS.get(random.nextInt(URIS.size())).replace("%%", "%"), random.nextInt(4))
                    .replaceFirst("%s", Matcher.quoteReplacement(password));
            String shown = outcome(text, Holdfast.builder()::uri);
            if (shown.isEmpty()) {
                taken++;
                shown = roundTrip(text);
            }
            if (hasSecret(text, password) && !text.startsWith("memory:")) {
                assertThat(shown).as("seed %d: %s", seed, text).doesNotContain("alibaba", "s3same");
            }
        }
        assertThat(taken).as("not all were refused").isGreaterThan(INPUTS / 50);
    }

    /** Whether it stands where a password does: before the last @, and not where a user's name is. */
    private static boolean hasSecret(String text, String password) {
        int scheme = text.indexOf(':');
        int start = text.startsWith("://", scheme) ? scheme + 3 : 0;
        int at = text.indexOf(password, start);
        int end = text.lastIndexOf('@');
        int colon = text.indexOf(':', start);
        return at >= start && at + password.length() <= end && (colon < at || colon > end);
    }

    /** What the client says it is connected to leads to the same place. */
    private static String roundTrip(String text) {
        try (Holdfast locks = Holdfast.connect(text)) {
            String store = locks.store();
            if (!text.startsWith("memory:")) {
                try (Holdfast same = Holdfast.connect(store)) {
                    assertThat(same.store()).as(text).isEqualTo(store);
                }
            }
            return store + locks;
        }
    }

    @Test
    void anyName_isTakenAsItIsOrRefused() {
        Keys keys = new Keys("prefix:");
        try (Holdfast locks = Holdfast.connect("memory:")) {
            for (long seed = FIRST; seed < FIRST + INPUTS; seed++) {
                Random random = new Random(seed);
                String name = mutated(random, "order:{42}/é", random.nextInt(12))
                        .repeat(random.nextInt(100) == 0 ? random.nextInt(60) : 1);
                String refusal = outcome(name, locks::lock);
                if (refusal.isEmpty()) {
                    DistributedLock lock = locks.lock(name);
                    assertThat(lock.getLockName()).isEqualTo(name);
                    assertThat(keys.isLock(keys.lock(name))).as("seed %d", seed).isTrue();
                    assertThat(keys.name(keys.lock(name))).as("seed %d", seed).isEqualTo(name);
                    assertThat(lock.tryLock() && lock.unlock())
                            .as("seed %d", seed)
                            .isTrue();
                } else {
                    assertThat(refusal)
                            .as("seed %d", seed)
                            .startsWith("lock name '")
                            .doesNotContain("\n", "\0");
                }
            }
        }
    }

    @Test
    void anyDuration_isTakenAsItIsOrRefusedWithItsValue() {
        for (long seed = FIRST; seed < FIRST + INPUTS; seed++) {
            Random random = new Random(seed);
            Duration value = duration(random);
            Duration other = duration(random);
            LockOptions.Builder options = LockOptions.builder();
            String lease = outcome(value, options::lease);
            String maxHold = outcome(value, options::maxHold);
            outcome(value, options::outageLimit);
            outcome(value, any -> new Backoff(value, other));
            outcome(value, Holdfast.builder()::commandTimeout);
            LockOptions built = options.build();
            assertThat(built.lease()).isEqualTo(lease.isEmpty() ? value : LockOptions.DEFAULT.lease());
            assertThat(built.lease()).isBetween(LockOptions.MIN_LEASE, LockOptions.MAX_LEASE);
            assertThat(built.maxHold().isPresent()).isEqualTo(maxHold.isEmpty());
            assertThat(built.toBuilder().build()).usingRecursiveComparison().isEqualTo(built);
        }
    }

    /** Nothing if it was taken, or why it was refused. */
    private static <T> String outcome(T value, Function<T, ?> call) {
        try {
            assertThat(call.apply(value)).isNotNull();
            return "";
        } catch (IllegalArgumentException refusal) {
            String message = String.valueOf(refusal.getMessage());
            assertThat(message).as("says what it refuses").contains(shown(value, message));
            return message;
        }
    }

    private static String shown(Object value, String message) {
        if (value instanceof Duration duration) {
            // Of two durations the message may name the other one.
            boolean inMillis = duration.abs().compareTo(Duration.ofDays(36_500)) < 0
                    && message.contains(duration.toMillis() + " ms");
            return inMillis || message.startsWith("backoff") || message.startsWith("longest")
                    ? ""
                    : duration.toString();
        }
        String text = value.toString();
        boolean uri = text.matches("(?s)[A-Za-z][A-Za-z0-9+.-]*:.*");
        return uri && message.contains("'") && !message.startsWith("lock name") ? new StoreUri(text).toString() : "";
    }

    private static Duration duration(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> Duration.ofSeconds(random.nextLong(), random.nextInt(1_000_000_000));
            case 1 -> Duration.ofNanos(random.nextLong());
            case 2 -> Duration.ofMillis(random.nextInt(200));
            case 3 -> Duration.ofHours(24).plusNanos(random.nextInt(5) - 2);
            default -> Duration.ofNanos(random.nextInt());
        };
    }

    private static String mutated(Random random, String text, int times) {
        StringBuilder mutant = new StringBuilder(text);
        for (int i = 0; i < times; i++) {
            int at = random.nextInt(mutant.length() + 1);
            switch (random.nextInt(3)) {
                case 0 -> mutant.insert(at, pick(random));
                case 1 -> mutant.delete(at, Math.min(at + 1 + random.nextInt(2), mutant.length()));
                default -> mutant.insert(at, mutant.substring(at / 2, at));
            }
        }
        return mutant.toString();
    }

    private static char pick(Random random) {
        return ODD.charAt(random.nextInt(ODD.length()));
    }
}
