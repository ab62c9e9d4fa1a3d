package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.holdfast.redis.link.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.commands.ProtocolCommand;

/** A command in the form it is sent in; a script also knows what to send if the server does not know its hash. */
final class Request {
    // Where things stand among the arguments of an acquire that waits for the whole of a lock, or for permits, see
    // lock.lua.
    private static final int LEAST_ARGS = 4;
    private static final int MOST_ARGS = 7;
    private static final int ARGS_FOR_PERMITS = 11;
    private static final int INSTEAD_OF = 7;
    private static final int KIND = 8;
    private static final int OWNER = 1;
    private static final int NOT_AFTER = 3;
    private static final int TICKET = 4;
    // And where in the reply.
    private static final int AHEAD = 4;
    private static final int BEHIND = 6;
    private static final Long QUEUED = 2L;

    private static final byte[] ACQUIRE = "A".getBytes(US_ASCII);
    private static final byte[] TOGETHER = "together".getBytes(US_ASCII);
    private static final byte[] DOES_NOT_WAIT = "0".getBytes(US_ASCII);
    private static final byte[] PERMITS = "p".getBytes(US_ASCII);

    private final ProtocolCommand command;
    private final byte[][] args;
    private final byte @Nullable [] text;

    private Request(ProtocolCommand command, byte[][] args, byte @Nullable [] text) {
        this.command = command;
        this.args = args;
        this.text = text;
    }

    static Request of(ProtocolCommand command, byte[]... args) {
        return new Request(command, args, null);
    }

    /**
     * A script by its hash.
     *
     * @param args those of EVALSHA, the hash being the first
     */
    static Request byHash(byte[] text, byte[]... args) {
        return new Request(Protocol.Command.EVALSHA, args, text);
    }

    /** The same script by its text; null if this is no script by its hash. */
    @Nullable
    Request byText() {
        if (text == null) {
            return null;
        }
        byte[][] all = args.clone();
        all[0] = text;
        return new Request(Protocol.Command.EVAL, all, null);
    }

    /**
     * Whether this one and another want to stand in line for the same lock, and differ in who and in until when alone. Then
     * one run of the script does for both.
     */
    boolean joins(Request other) {
        if (args.length != other.args.length || !queues()) {
            return false;
        }
        int first = firstArg();
        for (int i = 0; i < args.length; i++) {
            boolean own = i == first + OWNER || i == first + NOT_AFTER;
            if (!own && !Arrays.equals(args[i], other.args[i])) {
                return false;
            }
        }
        return true;
    }

    private boolean queues() {
        if (args.length < 2 || args[0] != Script.LOCK.sha() || args[1].length != 1) {
            return false;
        }
        int first = firstArg();
        int count = args.length - first;
        boolean permits = count == ARGS_FOR_PERMITS
                && args[first + INSTEAD_OF].length == 0
                && Arrays.equals(args[first + KIND], PERMITS);
        boolean whole = count >= LEAST_ARGS && count <= MOST_ARGS;
        return (permits || whole)
                && Arrays.equals(args[first], ACQUIRE)
                && (count <= TICKET || !Arrays.equals(args[first + TICKET], DOES_NOT_WAIT));
    }

    /** Where the arguments begin, behind hash, number of keys and keys. */
    private int firstArg() {
        return 2 + args[1][0] - '0';
    }

    /**
     * One request for several that join; the reply is that to the first, if they stand one behind the other from there on, or a
     * list with the reply to each, or empty if none was done.
     */
    static Request together(List<Request> requests) {
        byte[][] one = requests.get(0).args;
        int first = requests.get(0).firstArg();
        int next = Math.max(first + MOST_ARGS, one.length);
        byte[][] all = Arrays.copyOf(one, next + 2 * (requests.size() - 1));
        all[first] = TOGETHER;
        // What was left out is empty now that something follows it.
        Arrays.fill(all, one.length, next, new byte[0]);
        for (Request other : requests.subList(1, requests.size())) {
            all[next++] = other.args[first + OWNER];
            all[next++] = other.args[first + NOT_AFTER];
        }
        return new Request(requests.get(0).command, all, null);
    }

    /**
     * What such a reply says to one of them.
     *
     * @param index who of so many it is
     * @param before the one before it; null if there is none
     */
    static Object part(Object reply, int index, int together, @Nullable Request before) {
        if (!(reply instanceof List<?> parts) || parts.isEmpty()) {
            return reply;
        }
        if (QUEUED.equals(parts.get(0)) && parts.size() > AHEAD && parts.get(AHEAD) instanceof Long ahead) {
            List<Object> own = new ArrayList<>(parts);
            own.set(AHEAD, ahead + index);
            if (before != null && own.size() > BEHIND) {
                own.set(BEHIND, before.args[before.firstArg() + OWNER]);
            }
            return own;
        }
        return parts.size() == together ? parts.get(index) : reply;
    }

    /** Puts it behind what else is to be sent. */
    void writeTo(Connection wire) {
        wire.sendCommand(new AsTheyAre(command, args));
    }

    /** The arguments themselves; Jedis would copy each of them. */
    private static final class AsTheyAre extends CommandArguments {
        private final ProtocolCommand command;
        private final byte[][] args;

        AsTheyAre(ProtocolCommand command, byte[][] args) {
            super(command);
            this.command = command;
            this.args = args;
        }

        @Override
        public int size() {
            return 1 + args.length;
        }

        @Override
        public Rawable get(int index) {
            return index == 0 ? command : raw(args[index - 1]);
        }

        @Override
        public Iterator<Rawable> iterator() {
            return new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < size();
                }

                @Override
                public Rawable next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException();
                    }
                    return get(next++);
                }
            };
        }

        private static Rawable raw(byte[] bytes) {
            return () -> bytes;
        }
    }
}
