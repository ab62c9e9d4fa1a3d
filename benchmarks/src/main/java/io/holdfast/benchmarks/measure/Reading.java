package io.holdfast.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.holdfast.servers.RedisServer;
import java.lang.management.ManagementFactory;
import java.util.Map;

/**
 * All counters at one moment. The difference of two contains the first one's own {@code INFO stats}: nothing is
 * subtracted.
 */
public record Reading(
        double requests,
        double commands,
        double bytesIn,
        double bytesOut,
        double serverCpuMicros,
        double clientCpuMicros,
        double allocated) {

    /** Reads the server and this JVM. */
    public static Reading take(RedisServer server) {
        Map<String, String> stats = server.info("stats");
        Map<String, String> cpu = server.info("cpu");
        return new Reading(
                number(stats, "total_reads_processed"),
                number(stats, "total_commands_processed"),
                number(stats, "total_net_input_bytes"),
                number(stats, "total_net_output_bytes"),
                1e6 * (number(cpu, "used_cpu_user") + number(cpu, "used_cpu_sys")),
                processCpuNanos() / 1e3,
                allocatedByAllThreads());
    }

    /** What happened since an earlier reading. */
    public Reading since(Reading earlier) {
        return new Reading(
                requests - earlier.requests,
                commands - earlier.commands,
                bytesIn - earlier.bytesIn,
                bytesOut - earlier.bytesOut,
                serverCpuMicros - earlier.serverCpuMicros,
                clientCpuMicros - earlier.clientCpuMicros,
                allocated - earlier.allocated);
    }

    /** CPU time of this JVM, all threads. */
    public static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** What all threads that live have allocated so far. */
    public static long allocatedByAllThreads() {
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes); // -1 for a thread that has just ended
        }
        return sum;
    }

    static double number(Map<String, String> info, String field) {
        String value = info.get(field);
        if (value == null) {
            throw new IllegalStateException("INFO has no field " + field);
        }
        return Double.parseDouble(value);
    }
}
