package io.holdfast.redis.link;

import io.holdfast.spi.StoreFailure;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What every error of a server means for a lock. None of them ever means "held". */
public final class RedisErrors {

    /** What to do about an error. */
    public enum Answer {
        /** It goes by: those who wait try again. */
        RETRY,
        /** It goes by, and another server may be behind the address: connect anew. */
        RECONNECT,
        /** Another node of its cluster has what was asked for; who was told of one server only cannot go there. */
        REDIRECT,
        /** The script is to be sent by its text. */
        SEND_TEXT,
        /** It does not go by of itself. */
        REFUSE
    }

    private record Row(Answer answer, String meaning) {}

    private static final Map<String, Row> TABLE = Map.ofEntries(
            row("READONLY", Answer.RECONNECT, "it is a replica, not a master"),
            row("LOADING", Answer.RECONNECT, "it is still loading its data"),
            row("MASTERDOWN", Answer.RECONNECT, "it is a replica that has lost its master"),
            row("UNBLOCKED", Answer.RECONNECT, "it has just become a replica"),
            row("CLUSTERDOWN", Answer.RECONNECT, "its cluster is down"),
            row("TRYAGAIN", Answer.RETRY, "its slot is being moved"),
            row("NOSCRIPT", Answer.SEND_TEXT, "it has forgotten a script that it was just sent"),
            row("BUSY", Answer.RETRY, "it is busy with a script of somebody's"),
            row("UNKILLABLE", Answer.RETRY, "it is busy with a script of somebody's"),
            row("NOREPLICAS", Answer.RETRY, "it has too few replicas to accept writes"),
            row("MISCONF", Answer.REFUSE, "it cannot write its data to disk and refuses writes; see its log"),
            row("OOM", Answer.REFUSE, "it is out of memory; raise maxmemory or remove data"),
            row("NOAUTH", Answer.REFUSE, "it wants a password; put it into the store's URI"),
            row("WRONGPASS", Answer.REFUSE, "it does not accept the user or the password"),
            row("NOPERM", Answer.REFUSE, "the user lacks a permission; grant all keys and channels of the prefix"),
            row("WRONGTYPE", Answer.REFUSE, "something that is no lock stands at the lock's key; remove it by hand"),
            row("MOVED", Answer.REDIRECT, "it is a node of a cluster, and was addressed as a single server"),
            row("ASK", Answer.REDIRECT, "it is a node of a cluster, and was addressed as a single server"),
            row("CROSSSLOT", Answer.REFUSE, "it is a node of a cluster, and was addressed as a single server"),
            row("DENIED", Answer.REFUSE, "it runs in protected mode and refuses this host"));

    // Servers before 7 wrap the error of a command inside a script into a sentence of their own.
    private static final Pattern CODE = Pattern.compile("\\b(" + String.join("|", TABLE.keySet()) + ")\\b");

    private static final Row FORBIDDEN =
            new Row(Answer.REFUSE, "the user lacks a permission; grant all keys and channels of the prefix");

    /** What servers say without a code, by what is in it. */
    private static final Map<String, Row> WITHOUT_CODE = Map.ofEntries(
            row("max number of clients", Answer.RETRY, "it has as many connections as it may"),
            row("attempted to access a non local key", Answer.RETRY, "its slot is being moved"),
            row("unknown command", Answer.REFUSE, "it lacks a command; Redis 6.2 or newer has all, if none is renamed"),
            row("cannot be used with replica", Answer.RECONNECT, "it is a replica, not a master"),
            row("while the cluster is down", Answer.RECONNECT, "its cluster is down"),
            // Servers before 7, when a script may not do something.
            Map.entry("can't run this command", FORBIDDEN),
            Map.entry("can't access at least one of the keys", FORBIDDEN));

    private RedisErrors() {}

    /** What the server's error asks for. */
    public static Answer answer(String error) {
        Row row = find(error);
        return row == null ? Answer.REFUSE : row.answer();
    }

    /** The failure that the server's error is. */
    public static StoreFailure failure(String address, String error, @Nullable Throwable cause) {
        Row row = find(error);
        String message = address + " answered '" + error + "'" + (row == null ? "" : ": " + row.meaning());
        return switch (answer(error)) {
            case REFUSE, REDIRECT -> StoreFailure.refused(message, cause);
            case RETRY, RECONNECT, SEND_TEXT -> StoreFailure.unavailable(message, cause);
        };
    }

    /** One field of what INFO answers; null if it is not there. */
    public static @Nullable String field(String info, String name) {
        for (String line : info.split("\n", -1)) {
            if (line.startsWith(name + ":")) {
                return line.substring(name.length() + 1).trim();
            }
        }
        return null;
    }

    private static @Nullable Row find(String error) {
        Matcher code = CODE.matcher(error);
        if (code.find()) {
            return TABLE.get(code.group(1));
        }
        return WITHOUT_CODE.entrySet().stream()
                .filter(entry -> error.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    private static Map.Entry<String, Row> row(String code, Answer answer, String meaning) {
        return Map.entry(code, new Row(answer, meaning));
    }
}
