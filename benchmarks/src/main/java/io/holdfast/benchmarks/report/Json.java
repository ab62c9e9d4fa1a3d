package io.holdfast.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The results as a JSON array of flat objects. */
public final class Json {
    private Json() {}

    /** One object for each line. */
    public static String of(List<Results.Line> lines) {
        return lines.stream().map(Json::object).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(Results.Line line) {
        return "{\"workload\": " + text(line.workload())
                + ", \"contender\": " + text(line.contender())
                + ", \"metric\": " + text(line.metric().text())
                + ", \"median\": " + number(line.median())
                + ", \"min\": " + number(line.min())
                + ", \"max\": " + number(line.max())
                + ", \"ratioToOurs\": " + number(line.ratioToOurs()) + "}";
    }

    static String text(String value) {
        StringBuilder text = new StringBuilder("\"");
        value.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                text.append('\\').append((char) c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", c));
            } else {
                text.append((char) c);
            }
        });
        return text.append('"').toString();
    }

    /** JSON knows neither infinity nor not-a-number. */
    static String number(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? "null" : value.toString();
    }
}
