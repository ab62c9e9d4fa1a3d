package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the script files as {@code redis-cli --eval} does: the text of the resource, plain keys and arguments, and a
 * connection that knows nothing of the library.
 */
final class Scripts {
    static final String PREFIX = "distributed_lock:";
    /** That of a slot of a cluster, whose servers do not know who listens: the clients of most tests have no inbox. */
    static final String FENCE = PREFIX + "~fence:{1}";

    /** The counter of a single server, and what the name of every other begins with. */
    static final String ANY_FENCE = PREFIX + "~fence";

    /** So far ahead that no test gets there. */
    static final String NO_HURRY = "9000000000000000";
    /** Longer than it takes a busy machine to put hundreds in line. */
    static final long SHARE_TICKET = 60_000;

    static final long SHARE_GRANT = 20_000;

    private final RedisServer redis;
    private final Keys keys = new Keys(PREFIX);
    private final String fence;

    Scripts(RedisServer redis) {
        this(redis, FENCE);
    }

    private Scripts(RedisServer redis, String fence) {
        this.redis = redis;
        this.fence = fence;
    }

    /** The same, for clients of which the server knows whether they listen. */
    Scripts listening() {
        return new Scripts(redis, keys.fence());
    }

    @Nullable
    Object run(Script script, List<String> scriptKeys, String... args) {
        List<String> command = new ArrayList<>();
        command.add("EVAL");
        command.add(new String(script.text(), UTF_8));
        command.add(Integer.toString(scriptKeys.size()));
        command.addAll(scriptKeys);
        command.addAll(Arrays.asList(args));
        return redis.command(command.toArray(String[]::new));
    }

    // --- lock.lua

    /** Asks for the lock, and waits for it if it is not to be had. */
    Reply queue(String name, String owner, long lease) {
        return acquire(name, owner, lease, NO_HURRY, 6_000, Math.min(lease, 2_000));
    }

    /** Asks for the lock, and does not wait. */
    Reply attempt(String name, String owner, long lease) {
        return acquire(name, owner, lease, NO_HURRY, 0, 2_000);
    }

    Reply acquire(String name, String owner, long lease, String notAfter, long ticket, long grant) {
        return acquire(name, owner, lease, notAfter, ticket, grant, 1);
    }

    private Reply acquire(
            String name,
            String owner,
            long lease,
            String notAfter,
            long ticket,
            long grant,
            int tokens,
            String... before) {
        List<String> args = new ArrayList<>(List.of(
                "A",
                owner,
                Long.toString(lease),
                notAfter,
                Long.toString(ticket),
                Long.toString(grant),
                Integer.toString(tokens)));
        args.addAll(Arrays.asList(before));
        return lock(name, args.toArray(String[]::new));
    }

    /** Asks for the lock with what has to be said and no more. */
    Reply acquireWithDefaults(String name, String owner, String lease) {
        return lock(name, "A", owner, lease, NO_HURRY);
    }

    /** Asks for the lock and so many tokens, and waits for it if it is not to be had. */
    Reply reserve(String name, String owner, int tokens) {
        return acquire(name, owner, 30_000, NO_HURRY, 6_000, 2_000, tokens);
    }

    /** Several ask in one go for the lock, and as many tokens as may follow. */
    List<Reply> together(String name, String notAfter, String... owners) {
        List<String> args = new ArrayList<>(List.of("together", owners[0], "30000", NO_HURRY, "6000", "2000", "0"));
        for (int i = 1; i < owners.length; i++) {
            args.addAll(List.of(owners[i], notAfter));
        }
        List<String> scriptKeys = List.of(keys.lock(name), keys.queue(name), keys.tickets(name), fence);
        return parts(run(Script.LOCK, scriptKeys, args.toArray(String[]::new)), owners);
    }

    /** One gives up what it has, and another asks in the same go. */
    Reply exchange(String name, String before, String owner, String notAfter) {
        return acquire(name, owner, 30_000, notAfter, 6_000, 2_000, 1, before);
    }

    // --- shares of it

    /** Asks to read, and waits for it if that is not to be had. */
    Reply read(String name, String owner, long lease) {
        return share(name, owner, lease, SHARE_TICKET, "", "r", 1, 0);
    }

    /** Asks to read, and does not wait. */
    Reply tryRead(String name, String owner, long lease) {
        return share(name, owner, lease, 0, "", "r", 1, 0);
    }

    /** Asks for so many permits of so many, and waits for them if they are not to be had. */
    Reply permits(String name, String owner, long lease, int weight, int of) {
        return share(name, owner, lease, SHARE_TICKET, "", "p", weight, of);
    }

    /** Asks for one permit of so many, and as many tokens as may follow, and waits if it is not to be had. */
    Reply permitInARow(String name, String owner, int of) {
        return lock(
                sharedKeys(name),
                "A",
                owner,
                "30000",
                NO_HURRY,
                Long.toString(SHARE_TICKET),
                Long.toString(SHARE_GRANT),
                "0",
                "",
                "p",
                "1",
                Integer.toString(of));
    }

    /** Several ask in one go for one permit each. */
    List<Reply> permitsTogether(String name, String notAfter, int of, String... owners) {
        List<String> args = new ArrayList<>(List.of(
                "together",
                owners[0],
                "30000",
                NO_HURRY,
                Long.toString(SHARE_TICKET),
                Long.toString(SHARE_GRANT),
                "0",
                "",
                "p",
                "1",
                Integer.toString(of)));
        for (int i = 1; i < owners.length; i++) {
            args.addAll(List.of(owners[i], notAfter));
        }
        return parts(run(Script.LOCK, sharedKeys(name), args.toArray(String[]::new)), owners);
    }

    /** What each of them is told by the one reply to all. */
    private static List<Reply> parts(@Nullable Object answer, String... owners) {
        if (!(answer instanceof List<?> list)) {
            throw new AssertionError("lock.lua must answer with a list");
        }
        if (list.isEmpty() || list.get(0) instanceof List<?>) {
            return list.stream().map(Scripts::reply).toList();
        }
        Reply first = reply(list);
        List<Reply> all = new ArrayList<>();
        for (int i = 0; i < owners.length; i++) {
            List<Long> numbers = new ArrayList<>(first.numbers());
            numbers.set(4, numbers.get(4) + i);
            all.add(new Reply(numbers, i == 0 || first.before() == null ? first.before() : owners[i - 1]));
        }
        return all;
    }

    /** Gives a permit back along with the tickets of those to whom it was passed on. */
    boolean giveBack(String name, String owner, String... served) {
        List<String> args = new ArrayList<>(List.of("R", owner, "time"));
        args.addAll(Arrays.asList(served));
        return lock(sharedKeys(name), args.toArray(String[]::new)).code() == 1;
    }

    /** Asks for so many permits of so many, and does not wait. */
    Reply tryPermits(String name, String owner, long lease, int weight, int of) {
        return share(name, owner, lease, 0, "", "p", weight, of);
    }

    /** One gives up what it has, and another asks to read in the same go. */
    Reply exchangeToRead(String name, String before, String owner) {
        return share(name, owner, 30_000, 0, before, "r", 1, 0);
    }

    /** The same, not after that time of the server. */
    Reply exchangeToRead(String name, String before, String owner, String notAfter) {
        return lock(sharedKeys(name), "A", owner, "30000", notAfter, "0", "2000", "1", before, "r", "1", "0");
    }

    /** One gives up what it has, and another asks for permits in the same go. */
    Reply exchangeToPermits(String name, String before, String owner, int weight, int of) {
        return share(name, owner, 30_000, 0, before, "p", weight, of);
    }

    private Reply share(
            String name, String owner, long lease, long ticket, String before, String kind, int weight, int of) {
        return lock(
                sharedKeys(name),
                "A",
                owner,
                Long.toString(lease),
                NO_HURRY,
                Long.toString(ticket),
                Long.toString(Math.min(lease, SHARE_GRANT)),
                "1",
                before,
                kind,
                Integer.toString(weight),
                Integer.toString(of));
    }

    /** Whether the owner had a share. */
    boolean giveBack(String name, String owner) {
        return lock(sharedKeys(name), "R", owner).code() == 1;
    }

    /** Whether it was a semaphore that somebody has permits of. */
    boolean resize(String name, int permits) {
        return lock(sharedKeys(name), "resize", "", Integer.toString(permits)).code() == 1;
    }

    /** How many locks renew.lua has renewed, of one. */
    long renew(String name, String owner, long lease) {
        List<String> scriptKeys = List.of(keys.lock(name), keys.holds(name));
        if (run(Script.RENEW, scriptKeys, "1", owner, Long.toString(lease)) instanceof List<?> list) {
            return (Long) list.get(0);
        }
        throw new AssertionError("renew.lua must answer with a list");
    }

    private List<String> sharedKeys(String name) {
        return List.of(keys.lock(name), keys.queue(name), keys.tickets(name), fence, keys.holds(name));
    }

    /** Who shares the lock, by the end of their shares. */
    List<?> sharers(String name) {
        return (List<?>) requireNonNull(redis.command("ZRANGE", keys.lock(name), "0", "-1"));
    }

    /** How it is shared: kind, weight of all, permits. */
    @Nullable
    Object state(String name) {
        return redis.command("HGET", keys.holds(name), "=");
    }

    /** The end of a share by the server's clock, ms. */
    long endOfShare(String name, String owner) {
        return Long.parseLong(String.valueOf(redis.command("ZSCORE", keys.lock(name), owner)));
    }

    /** The time of these shares is over, and nobody has looked yet. */
    void endShares(String name, List<String> owners) {
        List<String> command = new ArrayList<>(List.of("ZADD", keys.lock(name)));
        owners.forEach(owner -> command.addAll(List.of("1000", owner)));
        redis.command(command.toArray(String[]::new));
    }

    /** Whether the owner had the lock. */
    boolean release(String name, String owner) {
        return lock(name, "R", owner).code() == 1;
    }

    /** Gives it up along with the tickets of those to whom it was passed on. */
    boolean release(String name, String owner, String... served) {
        List<String> args = new ArrayList<>(List.of("R", owner, "time"));
        args.addAll(Arrays.asList(served));
        return lock(name, args.toArray(String[]::new)).code() == 1;
    }

    private Reply lock(String name, String... args) {
        return lock(List.of(keys.lock(name), keys.queue(name), keys.tickets(name), fence), args);
    }

    private Reply lock(List<String> scriptKeys, String... args) {
        return reply(run(Script.LOCK, scriptKeys, args));
    }

    /** What lock.lua has answered: a list, or what stands for one. */
    static Reply reply(@Nullable Object answer) {
        if (answer instanceof Long held) {
            return new Reply(List.of(held), null);
        }
        if (answer instanceof String held) {
            long token = Long.parseLong(held.substring(held.lastIndexOf(':') + 1));
            return new Reply(List.of(1L, token, 0L, token, 1L), null);
        }
        if (!(answer instanceof List<?> list)) {
            throw new AssertionError("no answer of lock.lua: " + answer);
        }
        boolean hasText = !list.isEmpty() && list.get(list.size() - 1) instanceof String;
        List<?> numbers = hasText ? list.subList(0, list.size() - 1) : list;
        return new Reply(
                numbers.stream().map(number -> (Long) number).toList(),
                hasText ? (String) list.get(list.size() - 1) : null);
    }

    /**
     * An answer of lock.lua.
     *
     * @param numbers all of it that are
     * @param before whom one that is queued stands behind, if that is told
     */
    record Reply(List<Long> numbers, @Nullable String before) {
        long code() {
            return numbers.get(0);
        }

        /** The server's time in µs. */
        long now() {
            return numbers.get(1);
        }

        /** Of one that was granted. */
        long token() {
            if (code() != 1) {
                throw new AssertionError("not granted: " + numbers);
            }
            return numbers.get(3);
        }

        /** Of one that was granted: how many tokens it may use. */
        long tokens() {
            return token() > 0 ? numbers.get(4) : 0;
        }

        /** Of one that meant something else by the name: how many permits it has. */
        long permits() {
            if (code() != 8) {
                throw new AssertionError("not used otherwise: " + numbers);
            }
            return numbers.get(3);
        }

        /** Of an exchange: whether the one who gave up had the lock. */
        boolean gaveUp() {
            return numbers.get(2) == 1;
        }

        /** Of one that was queued: ms until the holder's expiry. */
        long left() {
            return queued(3);
        }

        /** Of one that was queued: its place in line. */
        long place() {
            return queued(4);
        }

        /** Of one that was queued: whether the holder will notify. */
        boolean notified() {
            return queued(5) == 1;
        }

        private long queued(int index) {
            if (code() != 2) {
                throw new AssertionError("not queued: " + numbers);
            }
            return numbers.get(index);
        }
    }

    // --- what stands in the server

    @Nullable
    Object value(String name) {
        return redis.command("GET", keys.lock(name));
    }

    /** The owner of the lock, by its value; fails if nobody of ours has it. */
    String holder(String name) {
        String value = String.valueOf(value(name));
        if (!value.matches("hf1:.+:[0-9]+(\\+[0-9]+)?")) {
            throw new AssertionError("not held: " + value);
        }
        return value.substring(4, value.lastIndexOf(':'));
    }

    /** The token in the value of the lock, as text. */
    String tokenText(String name) {
        String value = String.valueOf(value(name));
        return value.substring(value.lastIndexOf(':') + 1);
    }

    long ttl(String key) {
        return (Long) requireNonNull(redis.command("PTTL", key));
    }

    long lockTtl(String name) {
        return ttl(keys.lock(name));
    }

    List<?> queued(String name) {
        return (List<?>) requireNonNull(redis.command("ZRANGE", keys.queue(name), "0", "-1"));
    }

    long tickets(String name) {
        return (Long) requireNonNull(redis.command("HLEN", keys.tickets(name)));
    }

    /** Makes the ticket that of one who asked for it a second ago. */
    void hasBeenSilent(String name, String owner) {
        String ticket = (String) requireNonNull(redis.command("HGET", keys.tickets(name), owner));
        long now = Long.parseLong((String) requireNonNull(((List<?>) requireNonNull(redis.command("TIME"))).get(0)));
        String silent = (now + 5) * 1_000 + ticket.substring(ticket.indexOf(' '));
        redis.command("HSET", keys.tickets(name), owner, silent);
    }

    /** Puts so many tickets at the head of the queue whose life is over. */
    void deadTickets(String name, int count) {
        List<String> line = new ArrayList<>(List.of("ZADD", keys.queue(name)));
        List<String> lives = new ArrayList<>(List.of("HSET", keys.tickets(name)));
        for (int i = 0; i < count; i++) {
            line.addAll(List.of(Integer.toString(i), "dead:1:" + i));
            lives.addAll(List.of("dead:1:" + i, "1000 2000 1"));
        }
        redis.command(line.toArray(String[]::new));
        redis.command(lives.toArray(String[]::new));
        redis.command("PEXPIRE", keys.queue(name), "12000");
        redis.command("PEXPIRE", keys.tickets(name), "12000");
    }
}
