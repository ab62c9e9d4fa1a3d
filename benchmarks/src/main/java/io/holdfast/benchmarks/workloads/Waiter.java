package io.holdfast.benchmarks.workloads;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Session;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The other JVM of {@link HandOver}: takes the lock whenever told to, and tells when it had it. */
public final class Waiter {
    static final String NAME = "bench:0";
    static final String READY = "ready";
    static final String WAIT = "wait";
    static final String HELD = "held ";

    private Waiter() {}

    /** Takes contender, host and port, and ends with its input. */
    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        try (Session session = Contenders.named(args[0]).open(args[1], Integer.parseInt(args[2]))) {
            BenchLock lock = session.lock(NAME);
            System.out.println(READY);
            while (WAIT.equals(lines.readLine())) {
                lock.lock();
                long held = System.nanoTime();
                lock.unlock();
                System.out.println(HELD + held);
            }
        }
    }
}
