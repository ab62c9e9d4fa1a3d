package io.holdfast.benchmarks.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class SpinnersTest {
    private static final int NICE = 19;
    private static final String LOOP = "sh";

    @Test
    @EnabledOnOs(OS.LINUX)
    void spinners_giveWayToAllOthers_andEndWhenClosed() throws Exception {
        List<ProcessHandle> processes;
        try (Spinners spinners = Spinners.onePerCore()) {
            spinners.check();
            processes = spinners.handles();
            assertThat(processes).hasSize(Runtime.getRuntime().availableProcessors());
            for (ProcessHandle process : processes) {
                assertThat(niceOnceItLoops(process)).isEqualTo(NICE);
            }
        }
        for (ProcessHandle process : processes) {
            process.onExit().get(10, TimeUnit.SECONDS);
            assertThat(process.isAlive()).isFalse();
        }
    }

    /** It is chrt at first, then nice, and at last the shell. */
    private static int niceOnceItLoops(ProcessHandle process) throws Exception {
        while (true) {
            String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
            if (stat.contains("(" + LOOP + ")") || stat.contains("(dash)")) {
                return Integer.parseInt(
                        stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
            }
            Thread.onSpinWait();
        }
    }
}
