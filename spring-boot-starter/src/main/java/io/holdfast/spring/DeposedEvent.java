package io.holdfast.spring;

/**
 * This application leads no more: it resigned, or it lost its lease, and another may lead already.
 *
 * @param election the name of the election
 * @param lost whether the lease was lost
 */
public record DeposedEvent(String election, boolean lost) {}
