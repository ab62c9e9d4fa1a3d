package io.holdfast.checks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Applications that have nothing but the starter and Boot itself, on each line of Boot, started as processes of their own
 * with the class path that Maven finds for them. A class of the starter that needs more than that would end the start.
 */
class FreshProjectsIT {
    private static final List<String> TRANSACTIONS = List.of("spring-tx-");
    private static final List<String> ACTUATOR =
            List.of("spring-boot-actuator-", "spring-boot-actuator-autoconfigure-");
    private static final List<String> NEVER =
            List.of("reactor-core-", "spring-web-", "spring-jdbc-", "spring-integration-core-", "lettuce-core-");

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    static Stream<Arguments> applications() {
        return Stream.of(3, 4)
                .flatMap(line -> Stream.of(FreshProject.Beside.values()).map(beside -> Arguments.of(line, beside)));
    }

    @ParameterizedTest(name = "Boot {0} and {1}")
    @MethodSource("applications")
    void theStarter_worksWithWhatAnApplicationHas(int line, FreshProject.Beside beside) {
        FreshProject project = new FreshProject(line);
        List<Path> classPath = project.classPath(beside);
        assertThat(project.has(classPath, TRANSACTIONS)).isEqualTo(beside == FreshProject.Beside.TRANSACTIONS);
        assertThat(project.has(classPath, ACTUATOR)).isEqualTo(beside == FreshProject.Beside.ACTUATOR);
        assertThat(project.has(classPath, NEVER)).isFalse();

        String name = line + ":" + beside;
        try (JvmProcess app = JvmProcess.of("com.example.fresh.FreshApplication", classPath)
                // A machine that builds is a busy one.
                .arguments(name, "--spring.data.redis.port=" + redis.port(), "--holdfast.command-timeout=20s")
                .start()) {
            app.awaitLine("boot " + line + "\\..*", ofSeconds(90));
            String beans = app.awaitLine("beans .*", ofSeconds(10));
            app.awaitLine("locked \\d+", ofSeconds(60));
            assertThat(redis.keys()).contains("distributed_lock:fresh:" + name);
            app.send("");
            app.awaitLine("annotated true", ofSeconds(60));
            assertThat(app.exitCode(ofSeconds(60))).isZero();
            assertThat(redis.keys()).doesNotContain("distributed_lock:fresh:" + name);
            assertThat(beans.contains("holdfastHealthIndicator")).isEqualTo(beside == FreshProject.Beside.ACTUATOR);
            assertThat(beans.contains("holdfastTransactionTies")).isEqualTo(beside == FreshProject.Beside.TRANSACTIONS);
            assertThat(String.join("\n", app.lines()))
                    .doesNotContain("NoClassDefFoundError")
                    .doesNotContain("ClassNotFoundException");
        }
    }
}
