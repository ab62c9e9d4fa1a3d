package io.holdfast.internal;

import io.holdfast.LockListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every notice is heard once, one at a time, and those of one thread in their order. */
@Tag("lincheck")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public class NoticesLincheckTest {
    private final List<String> heard = new ArrayList<>();
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger right = new AtomicInteger();
    private final Notices notices = new Notices(
            List.of(new LockListener() {
                @Override
                public void waited(String name, Duration waited, boolean obtained) {
                    // Not made for several threads: two at a time would lose one.
                    heard.add(name);
                }
            }),
            Runnable::run);

    @Operation(nonParallelGroup = "left")
    public void tellLeft() {
        String name = "l" + left.incrementAndGet();
        notices.tell(listener -> listener.waited(name, Duration.ZERO, true));
    }

    @Operation(nonParallelGroup = "right")
    public void tellRight() {
        String name = "r" + right.incrementAndGet();
        notices.tell(listener -> listener.waited(name, Duration.ZERO, true));
    }

    @Validate
    public void allHeardInOrder() {
        Models.require(heard.size() == left.get() + right.get(), "heard " + heard);
        for (int i = 1; i < 4; i++) {
            Models.require(inOrder("l" + i, "l" + (i + 1)) && inOrder("r" + i, "r" + (i + 1)), "heard " + heard);
        }
    }

    private boolean inOrder(String first, String second) {
        return !heard.contains(second) || heard.indexOf(first) < heard.indexOf(second);
    }

    @Test
    void notices_comeInOrderAndNoneIsLost() {
        Models.check(NoticesLincheckTest.class);
    }
}
