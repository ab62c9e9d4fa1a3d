package io.holdfast.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The results as JSON: an array of flat objects for the measurements and one for the goals. */
public final class Json {
    private Json() {}

    /** One object for each line and each goal. */
    public static String of(List<Results.Line> lines, List<Goals.Outcome> goals) {
        return "{\"measurements\": " + array(lines.stream().map(Json::object)) + ",\n\"goals\": "
                + array(goals.stream().map(Json::object)) + "}\n";
    }

    private static String array(Stream<String> objects) {
        return objects.collect(Collectors.joining(",\n  ", "[\n  ", "\n]"));
    }

    private static String object(Goals.Outcome outcome) {
        return "{\"workload\": " + text(outcome.goal().workload())
                + ", \"goal\": " + text(outcome.goal().text())
                + ", \"low\": " + number(outcome.goal().low())
                + ", \"high\": " + number(outcome.goal().high())
                + ", \"figure\": " + number(outcome.figure())
                + ", \"reached\": " + outcome.reached() + "}";
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
