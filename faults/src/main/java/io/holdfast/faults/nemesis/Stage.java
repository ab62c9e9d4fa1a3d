package io.holdfast.faults.nemesis;

import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.site.Site;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What the nemesis can get at. */
public interface Stage {
    Site site();

    Duration lease();

    Random random();

    /** Processes that run and may be paused and cut off; only those after the first may be killed. */
    List<String> workers();

    /** In which place a process is. */
    int placeOf(String worker);

    /** Who holds a lock of that workload alone, as far as it was written down by now. */
    Optional<String> holderOf(Workload workload);

    void kill(String worker);

    void pause(String worker);

    void resume(String worker);

    /** Why the clocks of processes cannot be set on this machine; empty if they can. */
    String whyNoClocks();

    /** Sets the wall clock of a process, so much ahead of the true time or behind, and waits until it has seen that. */
    void setClock(String worker, Duration ahead);

    /** Lets time pass, while what processes write is read. */
    void pass(Duration time);

    /** Waits until each workload has been granted once more; false if that does not come to pass. */
    boolean passUntilGranted(long since);
}
