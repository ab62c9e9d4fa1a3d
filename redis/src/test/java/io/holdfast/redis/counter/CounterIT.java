package io.holdfast.redis.counter;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CounterIT {
    private static final int THREADS = 3;

    @Test
    @Tag("race")
    @Faults({22, 42, 54})
    void sum_whileHoldersAreKilledAndConnectionsCut_isExact(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("counter");
        List<JvmProcess> processes = new ArrayList<>();
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port())) {
            String uri = "redis://127.0.0.1:" + network.port();
            for (int i = 0; i < 4; i++) {
                processes.add(
                        JvmProcess.start(CountingMain.class, uri, file.toString(), "p" + i, String.valueOf(THREADS)));
            }
            processes.forEach(process -> await().atMost(ofSeconds(60)).until(() -> said(process) > 0));
            for (int victim = 0; victim < 2; victim++) {
                for (int cut = 0; cut < 5; cut++) {
                    network.dropConnections();
                    progress(processes.get(3));
                }
                processes.get(victim).kill9();
                progress(processes.get(3));
            }
            for (JvmProcess survivor : processes.subList(2, 4)) {
                survivor.send("stop");
                survivor.awaitLine("done", ofSeconds(60));
            }

            Properties counts = CountingMain.read(file);
            for (int i = 0; i < processes.size(); i++) {
                JvmProcess process = processes.get(i);
                assertThat(process.lines()).noneMatch(line -> line.startsWith("lost") || line.startsWith("failed"));
                // One that was killed may have counted once more than it could say.
                int unsaid = i < 2 ? 1 : 0;
                int counted = 0;
                for (int thread = 0; thread < THREADS; thread++) {
                    counted += Integer.parseInt(counts.getProperty("p" + i + "." + thread, "0"));
                }
                assertThat(counted).as("p%s", i).isBetween(said(process), said(process) + unsaid);
            }
            assertThat(counts).hasSizeGreaterThan(THREADS);
        } finally {
            processes.forEach(JvmProcess::close);
        }
    }

    /** How often a process has said that it counted. */
    private static int said(JvmProcess process) {
        return (int) process.lines().stream()
                .filter(line -> line.matches("p\\d\\.\\d \\d+"))
                .count();
    }

    private static void progress(JvmProcess process) {
        int before = said(process);
        await().atMost(ofSeconds(30)).until(() -> said(process) > before + 3);
    }
}
