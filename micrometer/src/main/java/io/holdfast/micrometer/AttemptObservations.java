package io.holdfast.micrometer;

import io.holdfast.Hold;
import io.holdfast.LeaseLostException;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The wait and the hold of one attempt. All but its making is told on one thread, in order. */
final class AttemptObservations implements LockListener {
    private final ObservationRegistry registry;
    private final @Nullable Observation parent;
    private final String tag;
    private @Nullable Observation wait;
    private @Nullable Observation hold;
    private boolean over;

    AttemptObservations(ObservationRegistry registry, @Nullable Observation parent, String tag) {
        this.registry = registry;
        this.parent = parent;
        this.tag = tag;
    }

    private Observation start(String name, String what, String lockName) {
        Observation observation = Observation.createNotStarted(name, registry)
                .contextualName(what + " " + tag)
                .lowCardinalityKeyValue("lock", tag)
                .highCardinalityKeyValue("lock.name", lockName);
        if (parent != null) {
            observation.parentObservation(parent);
        }
        return observation.start();
    }

    @Override
    public void waiting(String lockName) {
        wait = start("holdfast.lock.wait", "wait for", lockName);
    }

    @Override
    public void acquired(Hold hold, Duration waited) {
        if (wait != null) {
            wait.highCardinalityKeyValue("token", Long.toString(hold.token()));
        }
        // One that was lost at once may be told of in the other order.
        if (!over) {
            this.hold = start("holdfast.lock.hold", "hold", hold.lockName())
                    .highCardinalityKeyValue("token", Long.toString(hold.token()))
                    .highCardinalityKeyValue("owner", hold.owner());
        }
    }

    @Override
    public void ended(String lockName, Outcome outcome, Duration took) {
        if (wait != null) {
            wait.lowCardinalityKeyValue("outcome", outcome.name().toLowerCase(Locale.ROOT))
                    .stop();
            wait = null;
        }
    }

    @Override
    public void released(Hold hold, Duration held) {
        end("released");
    }

    @Override
    public void lost(Hold hold, Loss loss) {
        if (this.hold != null) {
            this.hold.error(new LeaseLostException(hold.lockName(), hold.token(), loss));
        }
        end(loss.cause().name().toLowerCase(Locale.ROOT));
    }

    private void end(String how) {
        over = true;
        if (hold != null) {
            hold.lowCardinalityKeyValue("end", how).stop();
            hold = null;
        }
    }
}
