package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No store is named: a server of the user's own. */
class EmbeddedServerIT {
    static final String NOTE = "holdfast: using this user's own Redis on this machine;"
            + " other machines are not excluded (set HOLDFAST_STORE or --store)\n";

    @TempDir
    Path folder;

    private StateHome home;

    @BeforeEach
    void setUp() {
        home = new StateHome(folder, 60);
    }

    @AfterEach
    void leaveNoServer() {
        home.close();
    }

    static Cli.Result ok(String out) {
        return new Cli.Result(0, out, NOTE);
    }

    // --- one for all

    @Test
    void run_withoutStore_startsAServer_andSaysWhatItDoesNotDo() {
        assertThat(home.holdfast("run", "x", "--", "echo", "done").run()).isEqualTo(ok("done\n"));
        assertThat(home.servers()).hasSize(1);
        long pid = home.state().pid();
        assertThat(home.holdfast("run", "x", "--", "echo", "done").run()).isEqualTo(ok("done\n"));
        assertThat(home.servers()).extracting(ProcessHandle::pid).containsExactly(pid);
    }

    @Test
    void run_byTenAtOnce_isExclusive_andStartsOneServer(@TempDir Path inside) {
        String overlap = "mkdir '" + inside + "/in' || exit 9; sleep 0.02; rmdir '" + inside + "/in'";
        List<Cli> all = IntStream.range(0, 10)
                .mapToObj(i ->
                        home.holdfast("run", "x", "--", "sh", "-c", overlap).start())
                .toList();
        assertThat(all).allSatisfy(cli -> {
            try (cli) {
                assertThat(cli.result()).isEqualTo(ok(""));
            }
        });
        assertThat(home.servers()).hasSize(1);
        assertThat(home.supervisors()).hasSize(1);
    }

    @Test
    void run_inACommandSubstitution_doesNotKeepItsPipeOpen() {
        String script = "out=$(\"$1\" run x -- echo inner 2>/dev/null); echo \"got $out\"";
        Cli.Result result = new Cli.Launch(List.of(
                        "sh",
                        "-c",
                        script,
                        "sh",
                        Cli.REPOSITORY.resolve("holdfast").toString()))
                .with("XDG_STATE_HOME", folder)
                .run();
        assertThat(result.out()).isEqualTo("got inner\n");
        assertThat(home.servers()).hasSize(1);
    }

    @Test
    void server_belongsToNoTerminal() throws IOException {
        home.holdfast("run", "x", "--", "true").run();
        // "pid (name) state ppid pgrp session ..."
        String session = Files.readString(Path.of("/proc/" + home.state().pid() + "/stat"))
                .strip()
                .replaceFirst("^.*\\) \\S+ \\S+ \\S+ (\\S+) .*$", "$1");
        assertThat(session).isEqualTo(Long.toString(home.state().supervisor()));
    }

    // --- private

    @Test
    void server_isForThisUserOnly() throws Exception {
        home.holdfast("run", "x", "--", "true").run();
        ServerState state = home.state();
        assertThat(home.permissions()).containsExactly("rw-------", "rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.folder())))
                .isEqualTo("rwx------");
        try (Resp stranger = Resp.connect("127.0.0.1", state.port())) {
            assertThatThrownBy(() -> stranger.call("PING"))
                    .isInstanceOf(RespError.class)
                    .hasMessageContaining("NOAUTH");
            assertThatThrownBy(() -> stranger.call("AUTH", "guess"))
                    .isInstanceOf(RespError.class)
                    .hasMessageContaining("WRONGPASS");
        }
        assertThat(home.own().resolve("redis.log")).content().doesNotContain(state.password());
        try (Resp friend = Resp.connect("127.0.0.1", state.port())) {
            assertThat(friend.call("AUTH", state.password())).isEqualTo("OK");
            assertThat(friend.call("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
            assertThat(friend.call("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "no"));
            assertThat(friend.call("CONFIG", "GET", "maxmemory-policy"))
                    .isEqualTo(List.of("maxmemory-policy", "noeviction"));
        }
        assertThat(state.password()).hasSize(48);
    }

    @Test
    void server_listensOnLoopbackOnly() throws IOException {
        home.holdfast("run", "x", "--", "true").run();
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList();
        List<InetAddress> all = Stream.concat(
                        others.stream(), Stream.of(InetAddress.getByAddress(new byte[] {127, 0, 0, 2})))
                .toList();
        for (InetAddress address : all) {
            try (Socket socket = new Socket()) {
                assertThatThrownBy(() -> socket.connect(
                                new InetSocketAddress(address, home.state().port()), 1_000))
                        .as("%s", address)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void password_isNeitherOnACommandLineNorInAnEnvironment() throws IOException {
        try (Cli cli = home.holdfast("run", "x", "--", "sh", "-c", "echo held; read line")
                .start()) {
            cli.awaitOut("held");
            String password = home.state().password();
            try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
                processes
                        .filter(process -> process.getFileName().toString().matches("[0-9]+"))
                        .forEach(process -> assertThat(
                                        content(process.resolve("cmdline")) + content(process.resolve("environ")))
                                .doesNotContain(password));
            }
            assertThat(cli.err()).doesNotContain(password);
            assertThat(home.holdfast("server", "status").run().out()).doesNotContain(password);
        }
    }

    private static String content(Path file) {
        try {
            return new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // gone, or not ours
        }
    }

    @Test
    void folder_thatIsOpenToOthers_isRefused() throws IOException {
        Files.createDirectory(home.folder());
        Files.setPosixFilePermissions(home.folder(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Cli.Result result = home.holdfast("run", "x", "--", "echo", "never").run();
        assertThat(result)
                .isEqualTo(
                        new Cli.Result(
                                69,
                                "",
                                "holdfast: " + home.folder()
                                        + " is open to other users, and the password of a server stands in it: chmod 700 it\n"));
        assertThat(home.servers()).isEmpty();
    }

    @Test
    void folder_ofAnotherUser_isRefused() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can give files away");
        Files.createDirectory(home.folder());
        Files.setPosixFilePermissions(home.folder(), PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(home.folder(), "unix:uid", 12345);
        Cli.Result result = home.holdfast("run", "x", "--", "echo", "never").run();
        assertThat(result.code()).isEqualTo(69);
        assertThat(result.err()).contains("belongs to another user");
        assertThat(home.servers()).isEmpty();
    }
}
