package io.holdfast.simulation.net;

import io.holdfast.redis.link.Script;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the commands our stores send. */
public final class Commands {
    private static final String LOCK_SHA = text(Script.LOCK.sha());
    private static final String LOCK_TEXT = text(Script.LOCK.text());
    private static final String RENEW_SHA = text(Script.RENEW.sha());
    private static final String RENEW_TEXT = text(Script.RENEW.text());

    private Commands() {}

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** "acquire", "release", "renew", or the name of a plain command. */
    public static String kind(List<String> command) {
        String first = command.get(0);
        if (first.startsWith("EVAL")) {
            String script = command.get(1);
            if (script.equals(LOCK_SHA) || script.equals(LOCK_TEXT)) {
                return argument(command, 0);
            }
            if (script.equals(RENEW_SHA) || script.equals(RENEW_TEXT)) {
                return "renew";
            }
        }
        return first;
    }

    /** The key in that place, of a script. */
    public static String key(List<String> command, int index) {
        return command.get(3 + index);
    }

    /** How many locks a script is about. */
    public static int locks(List<String> command) {
        return kind(command).equals("renew") ? (command.size() - 3 - keys(command)) / 2 : 1;
    }

    public static int keys(List<String> command) {
        return Integer.parseInt(command.get(2));
    }

    /** The argument in that place, of a script. */
    public static String argument(List<String> command, int index) {
        return command.get(3 + keys(command) + index);
    }

    /** Who gives up in an exchange; null for other commands. */
    public static @Nullable String before(List<String> command) {
        int place = 3 + keys(command) + 8;
        return kind(command).equals("acquire")
                        && command.size() > place
                        && !command.get(place).isEmpty()
                ? command.get(place)
                : null;
    }

    /** The owner an acquire or a release is about; null for others. */
    public static @Nullable String owner(List<String> command) {
        String kind = kind(command);
        return kind.equals("acquire") || kind.equals("release") ? argument(command, 1) : null;
    }

    static String brief(List<String> command) {
        String kind = kind(command);
        return switch (kind) {
            case "acquire", "release" -> {
                String before = before(command);
                yield kind + " " + key(command, 0) + " by " + argument(command, 1)
                        + (before == null ? "" : " instead of " + before);
            }
            case "renew" -> "renew " + command.subList(3 + keys(command), command.size());
            default -> command.size() > 4 ? kind : String.join(" ", command);
        };
    }
}
