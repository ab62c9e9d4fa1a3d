package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import java.util.List;

/**
 * One thing that goes wrong, on purpose and at the same point each time.
 *
 * @param <R> what was seen, whose text goes into the table
 */
interface Scenario<R> {
    /** What happens. */
    String title();

    /** What is counted, and what would be right. */
    String counted();

    /** The contenders beside Holdfast: Redisson as it comes, and with settings that could help. */
    default List<String> rivals() {
        return List.of("redisson");
    }

    /** Whether all contenders can play it at the same time, on servers of their own: there is little to do but wait. */
    default boolean isPatient() {
        return true;
    }

    /** Whether it takes a {@link Moment}. */
    default boolean isExact() {
        return false;
    }

    /** Has it happen, as often as it says. */
    R play(Contender contender) throws Exception;
}
