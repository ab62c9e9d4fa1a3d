package io.holdfast.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, and {@code 0}. A number without a unit is refused, not guessed. */
final class DurationText implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new TypeConversionException(
                    text.matches("[0-9]{1,9}")
                            ? "'" + text + "' has no unit: write " + text + "s, " + text + "ms, " + text + "m or "
                                    + text + "h"
                            : "'" + text + "' is no duration: write it like 10s, 500ms, 2m or 1h");
        }
        long number = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    /** The shortest way to write it. */
    static String of(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
