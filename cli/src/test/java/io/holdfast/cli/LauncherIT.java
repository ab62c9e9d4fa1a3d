package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script that builds and starts the command. */
class LauncherIT {
    @TempDir
    Path folder;

    private StateHome home;

    @BeforeEach
    void setUp() {
        home = new StateHome(folder.resolve("state"), 60);
    }

    @AfterEach
    void leaveNoServer() {
        home.close();
    }

    @Test
    void run_warm_takesLessThan800Milliseconds() {
        home.holdfast("run", "x", "--", "true").run();
        // One of a few, since other work of the machine is not what is measured.
        assertThat(IntStream.range(0, 30).anyMatch(i -> timeOneRun().toMillis() < 800))
                .isTrue();
    }

    private Duration timeOneRun() {
        long start = System.nanoTime();
        assertThat(home.holdfast("run", "x", "--", "true").run().code()).isZero();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    // --- building, with a Maven that takes what the real one has made

    private Path emptyRepository() throws IOException {
        Path repository = Files.createDirectories(folder.resolve("a repository"));
        Files.createDirectory(repository.resolve("cli"));
        Files.copy(Cli.REPOSITORY.resolve("holdfast"), repository.resolve("holdfast"));
        executable(repository.resolve("holdfast"));
        return repository;
    }

    private Path fakeMaven(String work) throws IOException {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        Files.writeString(tools.resolve("mvn"), "#!/bin/sh\necho \"$@\" >>'" + folder + "/mvn-calls'\n" + work);
        executable(tools.resolve("mvn"));
        return tools;
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Cli.Launch launch(Path script, Path tools, String... arguments) {
        List<String> command = Stream.concat(Stream.of(script.toString()), Stream.of(arguments))
                .toList();
        return new Cli.Launch(command)
                .with("XDG_STATE_HOME", folder.resolve("state"))
                .with("HOLDFAST_EMBEDDED_IDLE", "60")
                .with("PATH", tools + ":" + System.getenv("PATH"));
    }

    private long mavenCalls() throws IOException {
        Path calls = folder.resolve("mvn-calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    private static String copyOfTheRealBuild() {
        return "echo '[INFO] Building Holdfast CLI 1.0  [1/1]'; mkdir -p cli/target; sleep 0.3\n"
                + "cp -r '" + Cli.REPOSITORY + "/cli/target/lib' cli/target/\n"
                + "cp '" + Cli.REPOSITORY + "'/cli/target/holdfast-cli-*.jar cli/target/\n";
    }

    @Test
    void firstUse_byManyAtOnce_buildsOnce() throws IOException {
        Path repository = emptyRepository();
        Path tools = fakeMaven(copyOfTheRealBuild());
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("a repository/holdfast"));
        List<Cli> all = IntStream.range(0, 3)
                .mapToObj(i ->
                        launch(link, tools, "run", "x", "--", "echo", "ran").start())
                .toList();
        assertThat(all).allSatisfy(cli -> {
            try (cli) {
                assertThat(cli.result().code()).isZero();
                assertThat(cli.out()).isEqualTo("ran\n");
                assertThat(cli.err()).containsAnyOf("holdfast: building itself", "waiting for another process");
            }
        });
        assertThat(mavenCalls()).isEqualTo(1);

        Path script = repository.resolve("holdfast");
        Cli.Result second = launch(script, tools, "--version").run();
        assertThat(second.code()).isZero();
        assertThat(second.err()).isEmpty();
        assertThat(mavenCalls()).isEqualTo(1);

        Cli.Result again =
                launch(script, tools, "--version").with("HOLDFAST_REBUILD", "1").run();
        assertThat(again.code()).isZero();
        assertThat(again.err()).contains("holdfast: building itself", "holdfast: Holdfast CLI 1.0");
        assertThat(mavenCalls()).isEqualTo(2);
    }

    @Test
    void build_thatFails_saysSo() throws IOException {
        Path repository = emptyRepository();
        Path tools = fakeMaven("echo '[ERROR] no such luck'; exit 1\n");
        Cli.Result result = launch(repository.resolve("holdfast"), tools, "run", "x", "--", "echo", "never")
                .run();
        assertThat(result.code()).isEqualTo(70);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("no such luck", "holdfast: the build has failed");
    }

    @Test
    void build_withoutJava_saysWhatToInstall() throws IOException {
        Path repository = emptyRepository();
        Path tools = fakeMaven("");
        Cli.Result none = launch(repository.resolve("holdfast"), tools, "--version")
                .with("JAVA_HOME", folder.resolve("no-jdk"))
                .run();
        assertThat(none.code()).isEqualTo(70);
        assertThat(none.err())
                .isEqualTo("holdfast: no Java found: install a JDK 17 or newer,"
                        + " and set JAVA_HOME or put java on the PATH\n");

        Path old = Files.createDirectories(folder.resolve("old-jdk/bin"));
        Files.writeString(old.resolve("java"), "#!/bin/sh\necho '    java.specification.version = 11' >&2\n");
        executable(old.resolve("java"));
        Cli.Result tooOld = launch(repository.resolve("holdfast"), tools, "--version")
                .with("JAVA_HOME", folder.resolve("old-jdk"))
                .run();
        assertThat(tooOld.code()).isEqualTo(70);
        assertThat(tooOld.err()).contains("is of version 11: install a JDK 17 or newer");
        assertThat(mavenCalls()).isZero();
    }

    @Test
    void build_withoutMaven_saysWhatToInstall() throws IOException {
        Path repository = emptyRepository();
        Path tools = Files.createDirectories(folder.resolve("few-tools"));
        for (String tool : List.of("bash", "env", "sed", "grep", "dirname", "readlink", "mkdir", "sleep", "ln", "rm")) {
            Files.createSymbolicLink(tools.resolve(tool), which(tool));
        }
        Cli.Result result = new Cli.Launch(
                        List.of(repository.resolve("holdfast").toString(), "--version"))
                .with("PATH", tools)
                .with("JAVA_HOME", System.getProperty("java.home"))
                .run();
        assertThat(result.code()).isEqualTo(70);
        assertThat(result.err()).contains("holdfast: no Maven found: put mvn 3.8 or newer on the PATH");
    }

    private static Path which(String tool) {
        return Pattern.compile(":")
                .splitAsStream(System.getenv("PATH"))
                .map(entry -> Path.of(entry, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("slow")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void firstUse_inAFreshCopy_buildsWithTheRealMaven() throws Exception {
        Path copy = Files.createDirectory(folder.resolve("copy"));
        Process tar = new ProcessBuilder(
                        "sh",
                        "-c",
                        "tar -C \"$1\" --exclude=target --exclude=.git -cf - . | tar -C \"$2\" -xf -",
                        "sh",
                        Cli.REPOSITORY.toString(),
                        copy.toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        Process first = new ProcessBuilder(copy.resolve("holdfast").toString(), "--version")
                .inheritIO()
                .start();
        assertThat(first.waitFor()).isZero();
        assertThat(copy.resolve("cli/target/launcher/holdfast-cli.jar")).exists();
    }
}
