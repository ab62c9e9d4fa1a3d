package io.holdfast.simulation.net;

import io.holdfast.redis.link.Script;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads the commands our stores send. */
public final class Commands {
    private static final String LOCK_SHA = text(Script.LOCK.sha());
    private static final String LOCK_TEXT = text(Script.LOCK.text());
    private static final String ALL_SHA = text(Script.ALL.sha());
    private static final String ALL_TEXT = text(Script.ALL.text());
    private static final String LATCH_SHA = text(Script.LATCH.sha());
    private static final String LATCH_TEXT = text(Script.LATCH.text());
    private static final String QUORUM_SHA = text(Script.QUORUM.sha());
    private static final String QUORUM_TEXT = text(Script.QUORUM.text());
    private static final String RENEW_SHA = text(Script.RENEW.sha());
    private static final String RENEW_TEXT = text(Script.RENEW.text());

    /**
     * What a command does to one lock.
     *
     * @param before who may give it up along with that, or null
     * @param served whose tickets are given up along with that, and what they were given
     */
    public record Part(
            String lock,
            String queue,
            String tickets,
            String owner,
            @Nullable String before,
            List<String> served) {}

    private Commands() {}

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * "acquire" or "release", of one lock or several, "renew", "latch", what a server of a quorum is to do, which may also
     * be "settle" or "retreat", or the name of a plain command.
     */
    public static String kind(List<String> command) {
        String first = command.get(0);
        if (first.startsWith("EVAL")) {
            String script = command.get(1);
            if (script.equals(LOCK_SHA) || script.equals(LOCK_TEXT) || isForAll(command) || isForQuorum(command)) {
                String word = argument(command, 0);
                return switch (word) {
                    case "A" -> "acquire";
                    case "R" -> "release";
                    default -> word;
                };
            }
            if (script.equals(LATCH_SHA) || script.equals(LATCH_TEXT)) {
                return "latch";
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

    /** Whether it takes several locks together, or gives them up. */
    public static boolean isForAll(List<String> command) {
        return command.get(0).startsWith("EVAL")
                && (command.get(1).equals(ALL_SHA) || command.get(1).equals(ALL_TEXT));
    }

    /** Whether it is for one server of a quorum. */
    public static boolean isForQuorum(List<String> command) {
        return command.get(0).startsWith("EVAL")
                && (command.get(1).equals(QUORUM_SHA) || command.get(1).equals(QUORUM_TEXT));
    }

    /** Whether several locks are taken all or none. */
    public static boolean isAllOrNone(List<String> command) {
        return isForAll(command)
                && kind(command).equals("acquire")
                && argument(command, 2).equals("0");
    }

    /** What an acquire or a release does, lock by lock. */
    public static List<Part> parts(List<String> command) {
        if (!isForAll(command)) {
            int served = 3 + keys(command) + 3;
            return List.of(new Part(
                    key(command, 0),
                    key(command, 1),
                    key(command, 2),
                    argument(command, 1),
                    before(command),
                    kind(command).equals("release") && !isForQuorum(command) && command.size() > served
                            ? command.subList(served, command.size())
                            : List.of()));
        }
        boolean acquires = kind(command).equals("acquire");
        return IntStream.range(0, (keys(command) - 1) / 4)
                .mapToObj(i -> {
                    String owner = argument(command, acquires ? 3 + 5 * i : 1 + i);
                    return new Part(
                            key(command, 1 + 4 * i),
                            key(command, 2 + 4 * i),
                            key(command, 3 + 4 * i),
                            owner,
                            isAllOrNone(command) ? owner : null,
                            List.of());
                })
                .toList();
    }

    /** How many locks a renewal is about. */
    public static int renewals(List<String> command) {
        return Integer.parseInt(argument(command, 0));
    }

    /** Whose lock a renewal is to renew, of those it is about. */
    public static String renewedBy(List<String> command, int index) {
        return argument(command, 1 + index);
    }

    /** Whether the answer to an acquire is that another holds what was asked for. */
    static boolean isRefusal(@Nullable Object reply) {
        if (!(reply instanceof List<?> list) || list.isEmpty()) {
            return false;
        }
        return isNo(list) || list.stream().anyMatch(one -> one instanceof List<?> part && isNo(part));
    }

    /** Whether somebody asks for a lock: alone, for several, or along with others of the same client. */
    static boolean asks(List<String> command) {
        String kind = kind(command);
        return kind.equals("acquire") || kind.equals("together");
    }

    private static boolean isNo(List<?> reply) {
        return reply.get(0) instanceof Long code && (code == 2 || code == 3);
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
        int place = 3 + keys(command) + 7;
        return !isForAll(command)
                        && !isForQuorum(command)
                        && kind(command).equals("acquire")
                        && command.size() > place
                        && !command.get(place).isEmpty()
                ? command.get(place)
                : null;
    }

    static String brief(List<String> command) {
        String kind = kind(command);
        return switch (kind) {
            case "acquire", "release", "settle", "retreat" -> {
                if (isForAll(command)) {
                    yield kind
                            + (isAllOrNone(command) ? " all or none of " : " ")
                            + String.join(
                                    ", ",
                                    parts(command).stream()
                                            .map(part -> part.lock() + " by " + part.owner())
                                            .toList());
                }
                String before = before(command);
                yield kind + " " + key(command, 0) + " by " + argument(command, 1)
                        + (before == null ? "" : " instead of " + before);
            }
            case "renew" -> "renew " + command.subList(3 + keys(command), command.size());
            case "latch" -> argument(command, 0) + " " + key(command, 0) + " by " + argument(command, 1);
            default -> command.size() > 4 ? kind : String.join(" ", command);
        };
    }
}
