package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Whom a Sentinel takes for the master.
 *
 * @param epoch counts the failovers: of two Sentinels that disagree, the one with the higher number knows more. It is
 *     {@link #UNKNOWN} where the Sentinel may not be asked for it
 */
record SentinelWord(HostAndPort master, long epoch) {
    static final long UNKNOWN = -1;

    /** Asks a Sentinel; null if it knows no such master. */
    static @Nullable SentinelWord ask(Connection sentinel, String name) {
        // The number first. In between there may be a failover, and then it is too low for the address, which does no
        // harm.
        // The other way round an old address would count as the latest.
        sentinel.sendCommand(() -> bytes("SENTINEL"), "master", name);
        sentinel.sendCommand(() -> bytes("SENTINEL"), "get-master-addr-by-name", name);
        long epoch = epoch(sentinel);
        if (!(sentinel.getOne() instanceof List<?> address) || address.size() != 2) {
            return null;
        }
        try {
            int port = Integer.parseInt(Reply.text(address.get(1)));
            return new SentinelWord(new HostAndPort(Reply.text(address.get(0)), port), epoch);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long epoch(Connection sentinel) {
        Object reply;
        try {
            reply = sentinel.getOne();
        } catch (JedisDataException e) {
            // Not allowed, or not known: the other answer tells why, if that is so of all questions.
            return UNKNOWN;
        }
        if (reply instanceof List<?> fields) {
            for (int i = 0; i + 1 < fields.size(); i += 2) {
                if (Reply.text(fields.get(i)).equals("config-epoch")) {
                    String number = Reply.text(fields.get(i + 1));
                    return number.matches("[0-9]{1,18}") ? Long.parseLong(number) : UNKNOWN;
                }
            }
        }
        return UNKNOWN;
    }

    private static byte[] bytes(String word) {
        return word.getBytes(US_ASCII);
    }
}
