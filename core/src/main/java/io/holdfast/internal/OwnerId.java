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
        return client + ":" + thread + ":" + Long.toUnsignedString(draw, Character.MAX_RADIX);
    }
}
