package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.holdfast.redis.link.Script;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;

/** A command in the form it is sent in; a script also knows what to send if the server does not know its hash. */
final class Request {
    // Where things stand among the arguments of an acquire that waits for the whole of a lock, see lock.lua.
    private static final int ARGS_TO_QUEUE = 8;
    private static final int OWNER = 1;
    private static final int NOT_AFTER = 4;
    private static final int TICKET = 5;
    private static final byte[] ACQUIRE = "acquire".getBytes(US_ASCII);
    private static final byte[] TOGETHER = "together".getBytes(US_ASCII);
    private static final byte[] DOES_NOT_WAIT = "0".getBytes(US_ASCII);

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
        int first = args.length - ARGS_TO_QUEUE;
        for (int i = 0; i < args.length; i++) {
            boolean own = i == first + OWNER || i == first + NOT_AFTER;
            if (!own && !Arrays.equals(args[i], other.args[i])) {
                return false;
            }
        }
        return true;
    }

    private boolean queues() {
        int first = args.length - ARGS_TO_QUEUE;
        return first > 2
                && args[0] == Script.LOCK.sha()
                && args[1].length == 1
                && args[1][0] - '0' == first - 2
                && Arrays.equals(args[first], ACQUIRE)
                && !Arrays.equals(args[first + TICKET], DOES_NOT_WAIT);
    }

    /** One request for several that join; the reply is a list with the reply to each, or empty if none was done. */
    static Request together(List<Request> requests) {
        byte[][] one = requests.get(0).args;
        int first = one.length - ARGS_TO_QUEUE;
        byte[][] all = Arrays.copyOf(one, one.length + 2 * (requests.size() - 1));
        all[first] = TOGETHER;
        int next = one.length;
        for (Request other : requests.subList(1, requests.size())) {
            all[next++] = other.args[first + OWNER];
            all[next++] = other.args[first + NOT_AFTER];
        }
        return new Request(requests.get(0).command, all, null);
    }

    /** Puts it behind what else is to be sent. */
    void writeTo(Connection wire) {
        wire.sendCommand(command, args);
    }
}
