package io.holdfast.internal;

import io.holdfast.spi.Platform;

/**
 * Who holds or wants a lock: one acquisition, and no other ever. Drawn, not counted: two copies of one virtual machine count
 * alike.
 */
record OwnerId(String client, long thread, long draw) {
    static OwnerId fresh(String client, long thread, Platform platform) {
        return new OwnerId(client, thread, platform.draw());
    }

    /** As the store knows it. */
    String text() {
        return client + ":" + thread + ":" + unsigned(draw);
    }

    /** As {@link Long#toUnsignedString(long, int)}, which takes a detour over large numbers for every other draw. */
    static String unsigned(long number) {
        if (number >= 0) {
            return Long.toString(number, Character.MAX_RADIX);
        }
        long high = Long.divideUnsigned(number, Character.MAX_RADIX);
        return Long.toString(high, Character.MAX_RADIX)
                + Character.forDigit((int) (number - high * Character.MAX_RADIX), Character.MAX_RADIX);
    }
}
