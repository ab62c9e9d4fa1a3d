package io.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where count-down latches are kept. The rules of {@link LockStore} hold here, too: whatever is asked may be asked again under
 * the same id without a second effect.
 */
public interface LatchStore {

    /**
     * How a latch stands.
     *
     * @param left how often it has to be counted down until it is open; zero once it is
     * @param made the id under which it was set; null if there is no latch of that name
     */
    record State(int left, @Nullable String made) {
        /** There is no latch of that name. */
        public static final State NONE = new State(0, null);

        public boolean isOpen() {
            return made != null && left == 0;
        }
    }

    /**
     * Sets a latch, unless there is one.
     *
     * @param id of this request
     * @param count how often it has to be counted down
     * @param life when it is over the latch is forgotten, open or not
     * @return whether it was set by this id, now or before
     */
    CompletionStage<Boolean> set(String name, String id, int count, Duration life);

    /**
     * Counts down once for this id, unless the latch is open, or is another by now. When that opens it, those who wait are
     * told by {@link StoreEvents#wake}, each once.
     *
     * @param made which latch of that name it is for: the id under which that was set
     * @return how the latch of that name stands then, whichever it is
     */
    CompletionStage<State> countDown(String name, String id, String made);

    /**
     * Tells how a latch stands.
     *
     * @param waiter who is to be told when it opens, or is forgotten, and looks again before
     *     {@link LockStore#LONGEST_TICKET} is half over; null if nobody is
     */
    CompletionStage<State> look(String name, @Nullable String waiter);

    /** This one is not to be told any more. */
    CompletionStage<State> leave(String name, String waiter);

    /**
     * Forgets a latch, unless it is another by now, and tells those who wait.
     *
     * @param made which latch of that name it is for: the id under which that was set
     * @return how the latch of that name stood before, whichever it was
     */
    CompletionStage<State> clear(String name, String id, String made);
}
