package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What goes wrong with the bytes of one direction of a {@link TcpProxy}, on all its connections. Thread safe. */
final class LaneFaults {
    private long delayNanos;
    private int bytesPerSecond;
    private boolean stalled;
    private boolean dropping;

    synchronized void delay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay " + delay + " is negative");
        }
        delayNanos = delay.toNanos();
        notifyAll();
    }

    synchronized void drip(int bytesPerSecond) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("drip of " + bytesPerSecond + " bytes per second is negative");
        }
        this.bytesPerSecond = bytesPerSecond;
        notifyAll();
    }

    synchronized void stall() {
        stalled = true;
        notifyAll();
    }

    synchronized void drop(boolean dropping) {
        this.dropping = dropping;
        notifyAll();
    }

    synchronized void end() {
        delayNanos = 0;
        bytesPerSecond = 0;
        stalled = false;
        dropping = false;
        notifyAll();
    }

    /** Lets everyone who waits here look again whether to go on. */
    synchronized void wake() {
        notifyAll();
    }

    /** Waits until bytes that arrived at that time may pass, or the lane ends. */
    synchronized void awaitTurn(long arrivedNanos, BooleanSupplier ended) throws InterruptedException {
        while (!ended.getAsBoolean()) {
            long waitNanos = arrivedNanos + delayNanos - System.nanoTime();
            if (stalled) {
                wait();
            } else if (waitNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, waitNanos);
            } else {
                return;
            }
        }
    }

    /** The end of a connection is news that a direction which drops everything does not carry either. */
    synchronized void awaitNotDropping(BooleanSupplier ended) throws InterruptedException {
        while (dropping && !ended.getAsBoolean()) {
            wait();
        }
    }

    /** Runs the action if bytes are dropped at present; no switch in between. */
    synchronized boolean ifDropping(Runnable action) {
        if (dropping) {
            action.run();
        }
        return dropping;
    }

    /** How many of the bytes may be written before the next call of {@link #awaitDrip}. */
    synchronized int slice(int wanted) {
        return bytesPerSecond == 0 ? wanted : Math.min(wanted, Math.max(1, bytesPerSecond / 100));
    }

    /** Waits as long as that many bytes take. */
    synchronized void awaitDrip(int written, BooleanSupplier ended) throws InterruptedException {
        long start = System.nanoTime();
        while (bytesPerSecond > 0 && !ended.getAsBoolean()) {
            long waitNanos = start + written * 1_000_000_000L / bytesPerSecond - System.nanoTime();
            if (waitNanos <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, waitNanos);
        }
    }
}
