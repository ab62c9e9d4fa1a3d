package io.holdfast.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.holdfast.spi.Platform;

/**
 * Who holds or wants a lock: one acquisition, and no other ever. Drawn, not counted: two copies of one virtual machine count
 * alike.
 */
record OwnerId(String client, long thread, long draw) {
    /** The largest number has so many. */
    private static final int MOST_DIGITS = 13;

    static OwnerId fresh(String client, long thread, Platform platform) {
        return new OwnerId(client, thread, platform.draw());
    }

    /** As the store knows it. */
    String text() {
        return client + ":" + thread + ":" + unsigned(draw);
    }

    /**
     * As {@link Long#toUnsignedString(long, int)}, which takes a detour over large numbers for every other draw, and makes room
     * for 65 digits: an id is written for every renewal.
     */
    static String unsigned(long number) {
        byte[] digits = new byte[MOST_DIGITS];
        int first = MOST_DIGITS;
        long left = number;
        do {
            long high = Long.divideUnsigned(left, Character.MAX_RADIX);
            digits[--first] = (byte) Character.forDigit((int) (left - high * Character.MAX_RADIX), Character.MAX_RADIX);
            left = high;
        } while (left != 0);
        return new String(digits, first, MOST_DIGITS - first, ISO_8859_1);
    }
}
