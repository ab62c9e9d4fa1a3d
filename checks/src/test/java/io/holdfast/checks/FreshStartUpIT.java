package io.holdfast.checks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long an application takes to start with the starter and without: in turns, each time in a JVM of its own, as Boot itself
 * measures it. Prints a line for docs/spring-boot.md; what it says depends on the machine, so nothing is asserted of it but that
 * both have started.
 */
@Tag("slow")
class FreshStartUpIT {
    private static final int ROUNDS = Integer.getInteger("startup.rounds", 15);

    @ParameterizedTest(name = "Boot {0}")
    @ValueSource(ints = {3, 4})
    @Timeout(1_800)
    void startUp_withTheStarterAndWithout(int line) {
        FreshProject project = new FreshProject(line);
        List<Long> with = new ArrayList<>();
        List<Long> without = new ArrayList<>();
        try (RedisServer redis = RedisServer.start()) {
            for (int round = 0; round < ROUNDS; round++) {
                with.add(start(project.classPath(FreshProject.Beside.NOTHING), redis));
                without.add(start(project.classPathWithoutTheStarter(), redis));
            }
        }
        assertThat(with).hasSize(ROUNDS).allMatch(millis -> millis > 0);
        assertThat(without).hasSize(ROUNDS).allMatch(millis -> millis > 0);
        System.out.printf(
                "| %d | %s | %s | %d ms |%n", line, text(with), text(without), middle(with) - middle(without));
    }

    private static long start(List<Path> classPath, RedisServer redis) {
        // Not the small heap and the fast compiler of other tests: as an application starts.
        try (JvmProcess app = JvmProcess.of("com.example.empty.EmptyApplication", classPath)
                .options("-Xmx512m", "-XX:TieredStopAtLevel=4")
                .arguments("--spring.data.redis.port=" + redis.port(), "--holdfast.command-timeout=20s")
                .start()) {
            String ready = app.awaitLine("ready after \\d+ ms", ofSeconds(90));
            assertThat(app.exitCode(ofSeconds(60))).isZero();
            return Long.parseLong(ready.replaceAll("\\D", ""));
        }
    }

    private static long middle(List<Long> millis) {
        return millis.stream().sorted().toList().get(millis.size() / 2);
    }

    private static String text(List<Long> millis) {
        List<Long> sorted = millis.stream().sorted().toList();
        return middle(millis) + " ms (" + sorted.get(0) + " to " + sorted.get(sorted.size() - 1) + ")";
    }
}
