package io.holdfast.checks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Plants a mistake in a small project that has this build for its parent, builds it, and sees it refused. A second block
 * of compiler arguments somewhere would switch Error Prone off without a word; this is how it would be noticed.
 */
class BuildBitesIT {
    private static final Path PLANTS = Repo.ROOT.resolve("checks/target/planted");

    @Test
    void aSoundClass_isAccepted() throws Exception {
        assertThat(build("sound", "prepare-package", "    public static int one() {\n        return 1;\n    }\n"))
                .isEmpty();
    }

    @Test
    void anExceptionThatIsNotThrown_isAnErrorOfErrorProne() throws Exception {
        assertThat(build("dead", "compile", "    public static void f() {\n        new Exception();\n    }\n"))
                .contains("[DeadException]");
    }

    @Test
    void aNullThatIsDereferenced_isAnErrorOfNullAway() throws Exception {
        assertThat(build(
                        "nullness",
                        "compile",
                        "    public static int f() {\n        Object o = null;\n        return o.hashCode();\n    }\n"))
                .contains("[NullAway]");
    }

    @Test
    void aWarning_isAnError() throws Exception {
        assertThat(
                        build(
                                "raw",
                                "compile",
                                "    public static java.util.List f() {\n        return new java.util.ArrayList<String>();\n    }\n"))
                .contains("-Werror");
    }

    @Test
    void badFormat_isRefused() throws Exception {
        assertThat(build("format", "prepare-package", "  public   static int one( ){return 1;}\n"))
                .contains("spotless:apply");
    }

    /** What the build has to complain about; empty if nothing. */
    private static String build(String name, String phase, String body) throws IOException, InterruptedException {
        Path project = PLANTS.resolve(name);
        Path sources = Files.createDirectories(project.resolve("src/main/java/io/holdfast/planted"));
        Files.writeString(
                sources.resolve("package-info.java"),
                "/** Planted. */\n@NullMarked\npackage io.holdfast.planted;\n\nimport org.jspecify.annotations.NullMarked;\n");
        Files.writeString(
                sources.resolve("Planted.java"),
                "package io.holdfast.planted;\n\n/** Planted. */\npublic final class Planted {\n    private Planted() {}\n\n"
                        + body + "}\n");
        Files.writeString(project.resolve("pom.xml"), pom(name));
        Path log = project.resolve("build.log");
        ProcessBuilder command = new ProcessBuilder(List.of(
                        "mvn",
                        "-B",
                        "-q",
                        "-o",
                        "-Dmaven.repo.local=" + System.getProperty("holdfast.test.repository"),
                        "-f",
                        project.resolve("pom.xml").toString(),
                        phase))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        // As the whole build does: another JDK is for tests only, and has the formatter in another version.
        command.environment().put("JAVA_HOME", System.getProperty("holdfast.test.maven.jdk"));
        Process maven = command.start();
        assertThat(maven.waitFor(100, TimeUnit.SECONDS)).as("the build ended").isTrue();
        String output = Files.readString(log, UTF_8);
        assertThat(maven.exitValue() == 0).as(output).isEqualTo(!output.contains("ERROR"));
        return maven.exitValue() == 0 ? "" : output;
    }

    private static String pom(String name) {
        return """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <parent>
                    <groupId>io.holdfast</groupId>
                    <artifactId>holdfast-parent</artifactId>
                    <version>%s</version>
                    <relativePath>../../../../pom.xml</relativePath>
                  </parent>
                  <artifactId>planted-%s</artifactId>
                  <dependencies>
                    <dependency>
                      <groupId>org.jspecify</groupId>
                      <artifactId>jspecify</artifactId>
                    </dependency>
                  </dependencies>
                </project>
                """.formatted(System.getProperty("holdfast.test.version"), name);
    }
}
