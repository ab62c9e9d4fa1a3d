package io.holdfast.faults.contender;

import java.util.List;

/**
 * What somebody wants to have.
 *
 * @param locks the names; more than one for {@link Workload#SEVERAL} only
 * @param permits how many; 1 but for the semaphore
 */
public record Wish(Workload workload, Mode mode, List<String> locks, int permits) {
    public Wish {
        locks = List.copyOf(locks);
    }
}
