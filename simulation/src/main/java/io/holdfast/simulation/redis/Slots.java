package io.holdfast.simulation.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The slots of a cluster: keys of one slot are always on one node. */
public final class Slots {
    private static final int COUNT = 16384;

    private Slots() {}

    /** The slot of a key: of what stands between its first braces, if there is something. */
    public static int of(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        return crc16((close > open + 1 ? key.substring(open + 1, close) : key).getBytes(UTF_8)) % COUNT;
    }

    /** The polynomial x^16 + x^12 + x^5 + 1, as the specification of the cluster asks for. */
    private static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte one : bytes) {
            crc ^= (one & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1 & 0xffff;
            }
        }
        return crc;
    }
}
