package io.holdfast.benchmarks;

import io.holdfast.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where it was measured: figures mean nothing without it. */
final class Machine {
    private Machine() {}

    static String describe(RedisServer server) {
        return Runtime.getRuntime().availableProcessors() + " cores, " + cpuModel() + ", "
                + System.getProperty("os.name") + " " + kernel() + ", JDK "
                + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + "), Redis "
                + server.info("server").getOrDefault("redis_version", "of unknown version") + " with "
                + server.info("memory").getOrDefault("mem_allocator", "an unknown allocator")
                + " on loopback";
    }

    /** Its first two numbers: the rest names a build that nobody else has. */
    private static String kernel() {
        return System.getProperty("os.version").replaceFirst("^([0-9]+[.][0-9]+).*", "$1");
    }

    private static String cpuModel() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown CPU");
        } catch (IOException e) {
            return "unknown CPU"; // not on Linux
        }
    }
}
