package io.holdfast.servers;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@code name:value} lines that INFO answers with. */
final class InfoText {
    private InfoText() {}

    static Map<String, String> parse(@Nullable Object reply) {
        Map<String, String> values = new LinkedHashMap<>();
        String.valueOf(reply).lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return values;
    }

    /** The field {@code calls} of each command of the section commandstats. */
    static Map<String, Long> calls(Map<String, String> commandStats) {
        Map<String, Long> calls = new LinkedHashMap<>();
        commandStats.forEach((name, fields) -> {
            String number = fields.replaceFirst("^calls=(\\d+),.*$", "$1");
            calls.put(name.replaceFirst("^cmdstat_", ""), Long.valueOf(number));
        });
        return calls;
    }
}
