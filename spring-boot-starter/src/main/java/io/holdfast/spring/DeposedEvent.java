package io.holdfast.spring;

/**
 * This application leads no more: it lost its lease, and another may lead already; or it gives up leadership, because a listener
 * of {@link ElectedEvent} threw or because the application ends, and nobody else leads before the listeners of this event are
 * done. Follows every {@link ElectedEvent}, also to listeners that did not hear of that one because another threw.
 *
 * @param election the name of the election
 * @param lost whether the lease was lost
 */
public record DeposedEvent(String election, boolean lost) {}
