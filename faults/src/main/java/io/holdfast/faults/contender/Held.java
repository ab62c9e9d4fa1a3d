package io.holdfast.faults.contender;

import java.util.List;
import java.util.function.Consumer;

/** Something that is held. Used by one thread, but for what {@link #onLost} is told. */
public interface Held {
    /** What {@link #validUntil} answers if it is no longer held. */
    long NO = Long.MIN_VALUE;

    /** The fencing token of each lock, in the order they were asked for; 0 where there are none. */
    List<Long> tokens();

    /**
     * Until when, by {@code System.nanoTime}, the holder knows without asking again that it holds; the moment before the
     * question if it knows only that; {@link #NO} if it does not hold.
     *
     * @throws RuntimeException if that cannot be known
     */
    long validUntil();

    /**
     * Gives it back.
     *
     * @return whether it was held to the end
     * @throws RuntimeException if that cannot be known
     */
    boolean release();

    /** Has the loss told, by whatever thread learns of it; never called where there is no such signal. */
    void onLost(Consumer<String> told);
}
