package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.since;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.DeafHost;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A name that stands for several addresses, not all of which answer: the time-out is for all of them together. */
class NameFaultsIT {
    private static final Duration TIMEOUT = ofSeconds(3);
    private static final int CLIENTS = 4;

    private final RedisServer redis = SharedRedis.empty();

    @TempDir
    Path folder;

    /** New clients, one after the other, which each try a lock and tell how that went. */
    static final class Clients {
        private Clients() {}

        public static void main(String[] args) {
            // The first command of a JVM takes its time on a busy machine.
            tell(args[0], "warm");
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                tell(args[1], "a" + i);
            }
            System.out.println("done");
        }

        private static void tell(String uri, String name) {
            try (Holdfast locks =
                    Holdfast.builder().uri(uri).commandTimeout(TIMEOUT).build()) {
                long start = System.nanoTime();
                try {
                    System.out.println(name + " locked " + locks.lock(name).tryLock());
                } catch (StoreUnavailableException e) {
                    System.out.println(name + " failed after " + since(start).toMillis() + " ms: " + e.getMessage());
                }
            }
        }
    }

    /** In a JVM in which a name stands for these addresses, in that order. */
    private List<String> run(int clients, int port, String... addresses) throws IOException {
        Path hosts = folder.resolve("hosts");
        Files.write(
                hosts,
                List.of(addresses).stream()
                        .map(address -> address + " redis.test")
                        .toList());
        try (JvmProcess jvm = JvmProcess.of(Clients.class)
                .options("-Djdk.net.hosts.file=" + hosts)
                .arguments(redis.uri(), "redis://redis.test:" + port, Integer.toString(clients))
                .start()) {
            jvm.awaitLine("done", ofSeconds(60));
            return jvm.lines().stream()
                    .filter(line -> line.matches("a[0-9]+ (locked|failed) .*"))
                    .map(line -> line.replaceFirst("a[0-9]+ ", ""))
                    .toList();
        }
    }

    @Test
    @Faults(21)
    void tryLock_toANameOfWhichNoAddressAnswers_failsByTheCommandTimeOut() throws IOException {
        try (DeafHost one = DeafHost.at("127.0.0.11", 0);
                DeafHost two = DeafHost.at("127.0.0.12", one.port());
                DeafHost three = DeafHost.at("127.0.0.13", one.port())) {
            assertThat(two.port()).isEqualTo(three.port());

            List<String> told = run(1, one.port(), "127.0.0.11", "127.0.0.12", "127.0.0.13");

            assertThat(told).singleElement().satisfies(line -> {
                assertThat(line).contains("cannot reach redis://redis.test:" + one.port());
                assertThat(Duration.ofMillis(Long.parseLong(line.replaceAll("failed after ([0-9]+) ms.*", "$1"))))
                        .isLessThan(TIMEOUT.plus(SLACK));
            });
        }
    }

    @Test
    @Faults(21)
    void tryLock_toANameOfWhichOneAddressAnswers_succeeds() throws IOException {
        try (DeafHost dead = DeafHost.at("127.0.0.11", redis.port())) {
            List<String> told = run(CLIENTS, dead.port(), "127.0.0.11", "127.0.0.1");

            assertThat(told).hasSize(CLIENTS).containsOnly("locked true");
        }
    }
}
