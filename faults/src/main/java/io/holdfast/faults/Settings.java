package io.holdfast.faults;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.nemesis.FaultKind;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What a run is to be.
 *
 * @param workers processes at a time
 * @param gap time between two faults
 * @param only these faults, if there are any
 */
record Settings(
        Topology topology,
        Contender contender,
        Set<Workload> workloads,
        Duration time,
        Duration lease,
        Duration gap,
        int workers,
        long seed,
        List<FaultKind> only) {

    /** Whether clocks of servers are to be stepped, which not every version of them allows. */
    boolean clocks() {
        return only.contains(FaultKind.SERVER_CLOCK);
    }
}
