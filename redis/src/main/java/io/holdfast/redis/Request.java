package io.holdfast.redis;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;

/** A command in the form it is sent in; a script also knows what to send if the server does not know its hash. */
final class Request {
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

    /** Puts it behind what else is to be sent. */
    void writeTo(Connection wire) {
        wire.sendCommand(command, args);
    }
}
