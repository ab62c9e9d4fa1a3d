package io.holdfast.testkit.history;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The text form, one event to a line, names encoded as in URLs:
 *
 * <pre>
 * 1200 7 call p1 ACQUIRE order%3A42 EXCLUSIVE 1 0
 * 1900 7 GRANTED 33
 * </pre>
 *
 * <p>Time, number of the operation, then what was asked (client, action, lock, mode, permits, token) or what came of it
 * (outcome, token).
 */
final class Lines {
    private record Line(long time, String text) {}

    private Lines() {}

    static String call(long id, Operation operation) {
        return operation.called() + " " + id + " call " + encode(operation.client()) + " " + operation.action() + " "
                + encode(operation.lock()) + " " + operation.mode() + " " + operation.permits() + " "
                + (operation.action().acquires() ? 0 : operation.token()) + "\n";
    }

    static String outcome(long id, long time, Operation.Outcome outcome, long token) {
        return time + " " + id + " " + outcome + " " + token + "\n";
    }

    static String print(List<Operation> operations) {
        List<Line> lines = new ArrayList<>();
        for (int id = 0; id < operations.size(); id++) {
            Operation operation = operations.get(id);
            lines.add(new Line(operation.called(), call(id, operation)));
            if (!operation.isOpen()) {
                String text = outcome(id, operation.returned(), operation.outcome(), operation.token());
                lines.add(new Line(operation.returned(), text));
            }
        }
        // Stable: a call stays before its return.
        lines.sort(Comparator.comparingLong(Line::time));
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line.text));
        return text.toString();
    }

    /** All whole lines of one recorder. */
    static List<Operation> parse(String text) {
        Map<Long, Operation> calls = new HashMap<>();
        List<Operation> operations = new ArrayList<>();
        text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(line -> {
            try {
                parse(line.split(" ", -1), calls, operations);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("not a line of a history: '" + line + "'", e);
            }
        });
        operations.addAll(calls.values());
        return operations;
    }

    private static void parse(String[] words, Map<Long, Operation> calls, List<Operation> operations) {
        long time = Long.parseLong(words[0]);
        long id = Long.parseLong(words[1]);
        if (words[2].equals("call")) {
            Operation call = new Operation(
                    decode(words[3]),
                    decode(words[5]),
                    Operation.Action.valueOf(words[4]),
                    Operation.Mode.valueOf(words[6]),
                    Integer.parseInt(words[7]),
                    Long.parseLong(words[8]),
                    Operation.Outcome.UNKNOWN,
                    time,
                    Operation.OPEN);
            if (calls.put(id, call) != null) {
                throw new IllegalArgumentException("operation " + id + " is called a second time");
            }
            return;
        }
        Operation call = calls.remove(id);
        if (call == null) {
            throw new IllegalArgumentException("operation " + id + " was not called");
        }
        operations.add(call.endedAs(Operation.Outcome.valueOf(words[2]), Long.parseLong(words[3]), time));
    }

    private static String encode(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8);
    }

    private static String decode(String name) {
        return URLDecoder.decode(name, StandardCharsets.UTF_8);
    }
}
