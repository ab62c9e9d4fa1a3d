package io.holdfast.checks.planted;

import java.util.Random;

/** Does what no library code may: reads the clock, sleeps, starts a thread, rolls a die. */
@SuppressWarnings({"unused", "ThreadJoinLoop"})
public final class Breaker {
    long clock() {
        return System.currentTimeMillis();
    }

    void sleep() throws InterruptedException {
        Thread.sleep(1);
    }

    Thread thread() {
        return new Thread(() -> {});
    }

    int die() {
        return new Random().nextInt(6);
    }
}
