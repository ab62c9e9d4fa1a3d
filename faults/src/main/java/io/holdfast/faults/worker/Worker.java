package io.holdfast.faults.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** One of the processes. Reads {@code stat} and {@code stop} from its input; prints {@link #READY} and {@link #DONE}. */
public final class Worker {
    public static final String READY = "ready";
    public static final String DONE = "done";
    public static final String STAT = "stat";
    public static final String STOP = "stop";

    private static final Duration WARM_UP = Duration.ofSeconds(2);
    private static final long LOOK_NANOS = 20_000_000;
    private static final long HICCUP_NANOS = 100_000_000;
    private static final long CLOCK_STEP_MILLIS = 1_000;

    private Worker() {}

    /** What a process is told, as one word each. */
    public record Order(
            String name,
            String contender,
            Topology topology,
            List<String> addresses,
            List<Workload> workloads,
            Duration lease,
            String gate,
            Path log,
            long seed) {
        public Order {
            addresses = List.copyOf(addresses);
            workloads = List.copyOf(workloads);
        }

        public String[] words() {
            return new String[] {
                name,
                contender,
                topology.name(),
                String.join(",", addresses),
                String.join(",", workloads.stream().map(Workload::name).toList()),
                Long.toString(lease.toMillis()),
                gate,
                log.toString(),
                Long.toString(seed)
            };
        }

        static Order of(String[] words) {
            return new Order(
                    words[0],
                    words[1],
                    Topology.valueOf(words[2]),
                    List.of(words[3].split(",", -1)),
                    Arrays.stream(words[4].split(",", -1))
                            .map(Workload::valueOf)
                            .toList(),
                    Duration.ofMillis(Long.parseLong(words[5])),
                    words[6],
                    Path.of(words[7]),
                    Long.parseLong(words[8]));
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Order order = Order.of(args);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong ids = new AtomicLong();
        try (EventLog log = new EventLog(order.log());
                Session session =
                        Contenders.named(order.contender()).open(order.topology(), order.addresses(), order.lease())) {
            List<Thread> threads = new ArrayList<>();
            for (Workload workload : order.workloads()) {
                for (int i = 0; i < workload.threads(); i++) {
                    int number = threads.size();
                    Runnable work = switch (workload) {
                        case LATCH -> new LatchUser(order, number, session.latches(), log, ids, stop);
                        case ELECTION -> new Candidate(order, number, session, log, ids, stop);
                        default -> new Taker(order, workload, number, session, log, ids, stop);
                    };
                    threads.add(new Thread(work, workload.id() + "-" + i));
                }
            }
            warmUp(order, session);
            watch(log, stop);
            threads.forEach(Thread::start);
            System.out.println(READY);
            listen(log);
            stop.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println(DONE);
    }

    /**
     * Takes everything once under names of its own, which nobody judges: the first request of a JVM loads a thousand classes,
     * and tells more of the machine than of the lock.
     */
    private static void warmUp(Order order, Session session) throws InterruptedException {
        for (Workload workload : order.workloads()) {
            if (workload == Workload.LATCH || workload == Workload.ELECTION) {
                continue; // what they need is loaded by the others
            }
            boolean permits =
                    workload == Workload.SEMAPHORE; // whose number stays behind, so not under a name of its own
            Wish wish = new Wish(
                    workload,
                    permits ? Mode.PERMITS : Mode.ALONE,
                    workload.locks().stream()
                            .map(lock -> permits ? lock : lock + "-" + order.name())
                            .toList(),
                    1);
            try {
                Held held = session.take(wish, WARM_UP);
                if (held != null) {
                    held.validUntil();
                    held.release();
                }
            } catch (RuntimeException e) {
                System.out.println("could not warm up " + workload.id() + ": " + e);
            }
        }
    }

    /**
     * Writes down when the process did not run, or hardly: a busy machine must not be taken for a slow lock. And when its wall
     * clock was stepped.
     */
    private static void watch(EventLog log, AtomicBoolean stop) {
        Thread watch = new Thread(
                () -> {
                    long last = System.nanoTime();
                    long ahead = System.currentTimeMillis() - last / 1_000_000;
                    while (!stop.get()) {
                        LockSupport.parkNanos(LOOK_NANOS);
                        long now = System.nanoTime();
                        if (now - last > HICCUP_NANOS) {
                            log.write('H', 0, now, last);
                        }
                        long aheadNow = System.currentTimeMillis() - now / 1_000_000;
                        boolean atOnce = System.nanoTime() - now < HICCUP_NANOS;
                        if (atOnce && Math.abs(aheadNow - ahead) > CLOCK_STEP_MILLIS) {
                            log.write('W', 0, now, aheadNow - ahead);
                            ahead = aheadNow;
                        }
                        last = now;
                    }
                },
                "watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** Returns when it is told to stop, or nobody is there any more to tell. */
    private static void listen(EventLog log) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null && !line.equals(STOP); line = in.readLine()) {
            if (line.equals(STAT)) {
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                log.write(
                        'S',
                        0,
                        System.nanoTime(),
                        ManagementFactory.getThreadMXBean().getThreadCount(),
                        runtime.totalMemory() - runtime.freeMemory());
            }
        }
    }
}
