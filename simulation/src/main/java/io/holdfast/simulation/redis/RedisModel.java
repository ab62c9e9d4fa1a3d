package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis 7.0.15 in memory, for one thread: the commands that lock scripts need, and the scripts themselves, run by
 * LuaJ. What it does depends on nothing but its clock and what it was told.
 *
 * <p>A reply is a {@code Long}, a {@code String}, a {@link Status}, a {@code List} of such, null, or an
 * {@link ErrorReply}. Text is UTF-8 to the outside and bytes to the scripts.
 *
 * <pre>{@code
 * RedisModel redis = new RedisModel(clock::micros, (channel, message) -> 0);
 * redis.execute(List.of("SET", "a", "1", "PX", "100"));
 * }</pre>
 */
public final class RedisModel {
    static final Status OK = new Status("OK");

    private static final int LONGEST_UNKNOWN = 128;

    /** A server that is made has been up for a day. */
    private static final long LONG_AGO_MICROS = 86_400_000_000L;

    private final LongSupplier clockMicros;
    private final PublishSink sink;
    private final Database db = new Database();
    private final ScriptEngine scripts = new ScriptEngine(this);
    private ServerMood mood = ServerMood.NORMAL;
    private int life = 1;
    private long startedMicros;
    private int number;

    /**
     * An empty server.
     *
     * @param clockMicros the server's wall clock
     * @param sink takes what is published, and must not call back
     */
    public RedisModel(LongSupplier clockMicros, PublishSink sink) {
        this.clockMicros = Objects.requireNonNull(clockMicros, "clockMicros");
        this.sink = Objects.requireNonNull(sink, "sink");
        this.startedMicros = clockMicros.getAsLong() - LONG_AGO_MICROS;
    }

    /** A reply that is a word of the server's, such as OK, and not somebody's value. */
    public record Status(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    /** A reply that says why not; the first word of the message is the code. */
    public record ErrorReply(String message) {}

    /** The data of one moment. */
    public static final class Snapshot {
        private final Database data;

        private Snapshot(Database data) {
            this.data = data;
        }
    }

    /** Does one command. */
    public @Nullable Object execute(List<String> command) {
        String[] argv = new String[command.size()];
        for (int i = 0; i < argv.length; i++) {
            argv[i] = Text.inside(command.get(i));
        }
        try {
            return outside(run(argv));
        } catch (RedisError e) {
            return new ErrorReply(Text.outside(e.text()));
        }
    }

    private @Nullable Object run(String[] argv) {
        Command command = Commands.find(argv[0]);
        if (command == null) {
            throw unknown(argv);
        }
        if (!command.accepts(argv.length)) {
            throw RedisError.arguments(command.name());
        }
        RedisError refusal = mood.refusal(command, argv);
        if (refusal != null) {
            throw refusal;
        }
        db.setNow(clockMicros.getAsLong() / 1000);
        return command.handler().run(this, argv);
    }

    private static RedisError unknown(String[] argv) {
        StringBuilder words = new StringBuilder();
        for (int i = 1; i < argv.length && words.length() < LONGEST_UNKNOWN; i++) {
            int most = LONGEST_UNKNOWN - words.length();
            words.append('\'')
                    .append(argv[i], 0, Math.min(most, argv[i].length()))
                    .append("' ");
        }
        return new RedisError("ERR unknown command '" + argv[0] + "', with args beginning with: " + words);
    }

    private static @Nullable Object outside(@Nullable Object reply) {
        if (reply instanceof String text) {
            return Text.outside(text);
        }
        if (reply instanceof List<?> list) {
            List<@Nullable Object> replies = new ArrayList<>(list.size());
            for (Object element : list) {
                replies.add(outside(element));
            }
            return replies;
        }
        // Only a script can put other characters into these.
        if (reply instanceof ErrorReply error) {
            return new ErrorReply(Text.outside(error.message));
        }
        return reply instanceof Status status ? new Status(Text.outside(status.text)) : reply;
    }

    // --- what happens to a server

    public void setMood(ServerMood mood) {
        this.mood = Objects.requireNonNull(mood, "mood");
    }

    public ServerMood mood() {
        return mood;
    }

    public Snapshot snapshot() {
        return new Snapshot(db.copy());
    }

    /** Starts anew from a snapshot, which may be used again. The scripts are not in it. */
    public void restore(Snapshot snapshot) {
        forget();
        db.copyFrom(snapshot.data);
    }

    /** Has a key brought here from another server, as MIGRATE does: with the time it has left, by the clocks of both. */
    public void take(String key, RedisModel from) {
        Database.Entry entry = from.peek(key);
        if (entry != null) {
            String inside = Text.inside(key);
            boolean stays = entry.expiresAt == Database.NEVER;
            db.put(inside, entry.value).expiresAt =
                    stays ? Database.NEVER : entry.expiresAt - from.nowMillis() + nowMillis();
            from.db.setNow(from.nowMillis());
            from.db.remove(inside);
        }
    }

    /** Starts anew with nothing. */
    public void forget() {
        db.clear();
        scripts.flush();
        life++;
        startedMicros = clockMicros.getAsLong();
    }

    /** Tells it from others. */
    public void number(int one) {
        number = one;
    }

    /** As in {@code INFO server}: another one after each start. */
    public String runId() {
        return "%08x%032x".formatted(number, life);
    }

    /** As in {@code INFO server}: by its own clock, in whole seconds. */
    long uptimeSeconds() {
        return Math.floorDiv(clockMicros.getAsLong(), 1_000_000L) - Math.floorDiv(startedMicros, 1_000_000L);
    }

    // --- what an auditor may see; looking changes nothing

    /** Those that are alive. */
    public List<String> keys() {
        return db.keys(nowMillis()).stream().map(Text::outside).toList();
    }

    /** As the command TYPE tells it. */
    public String type(String key) {
        Database.Entry entry = peek(key);
        return entry == null ? "none" : entry.type();
    }

    /** The string at the key, if it is one. */
    public @Nullable String value(String key) {
        String value = peek(key, String.class);
        return value == null ? null : Text.outside(value);
    }

    /** In ms of the server's clock; -1 if it never does, or is not there. */
    public long expiresAtMillis(String key) {
        Database.Entry entry = peek(key);
        return entry == null ? Database.NEVER : entry.expiresAt;
    }

    /** The members of the sorted set at the key by score; empty if it is none. */
    public Map<String, Double> sortedSet(String key) {
        Map<String, Double> members = new LinkedHashMap<>();
        SortedSet zset = peek(key, SortedSet.class);
        if (zset != null) {
            zset.items().forEach(item -> members.put(Text.outside(item.member()), item.score()));
        }
        return members;
    }

    /** The fields of the hash at the key; empty if it is none. */
    public Map<String, String> hash(String key) {
        Map<String, String> fields = new LinkedHashMap<>();
        Database.Hash hash = peek(key, Database.Hash.class);
        if (hash != null) {
            hash.forEach((field, value) -> fields.put(Text.outside(field), Text.outside(value)));
        }
        return fields;
    }

    /** The list or the members of the set at the key; empty if it is neither. */
    public List<String> elements(String key) {
        Database.Entry entry = peek(key);
        return entry != null && entry.value instanceof Iterable<?> elements ? texts(elements) : List.of();
    }

    private static List<String> texts(Iterable<?> elements) {
        List<String> texts = new ArrayList<>();
        elements.forEach(element -> texts.add(Text.outside(String.valueOf(element))));
        return texts;
    }

    private Database.@Nullable Entry peek(String key) {
        return db.peek(Text.inside(key), nowMillis());
    }

    private <T> @Nullable T peek(String key, Class<T> type) {
        Database.Entry entry = peek(key);
        return entry != null && type.isInstance(entry.value) ? type.cast(entry.value) : null;
    }

    /** The server's clock. */
    public long nowMillis() {
        return clockMicros.getAsLong() / 1000;
    }

    // --- for the commands

    Database db() {
        return db;
    }

    ScriptEngine scripts() {
        return scripts;
    }

    long clockMicros() {
        return clockMicros.getAsLong();
    }

    Object publish(String channel, String message) {
        return (long) sink.published(Text.outside(channel), Text.outside(message));
    }

    /** How many would receive what is published there. */
    public long listeners(String channel) {
        return sink.listeners(channel);
    }
}
