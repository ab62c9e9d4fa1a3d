package io.holdfast.spring;

import io.holdfast.Lease;

/**
 * This application leads now. Published on a thread of the election, in order with {@link DeposedEvent}; a listener that takes
 * long delays that, and is interrupted when leadership ends. If a listener throws, leadership is given up, and stood for again
 * after a pause.
 *
 * @param election the name of the election
 * @param lease what makes it the leader; write with its token
 */
public record ElectedEvent(String election, Lease lease) {}
