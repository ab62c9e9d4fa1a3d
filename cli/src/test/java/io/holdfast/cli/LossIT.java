package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lease is lost: by default the program is terminated. */
class LossIT {
    private static final String KEY = "distributed_lock:precious";
    private RedisServer redis;

    @BeforeEach
    void startRedis() {
        redis = RedisServer.start();
    }

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    private Cli start(String script, String... options) {
        List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("precious", "--", "sh", "-c", script));
        Cli cli = Cli.holdfast(arguments.toArray(String[]::new))
                .with("HOLDFAST_STORE", redis.uri())
                .start();
        cli.awaitOut("held");
        return cli;
    }

    @Test
    void loss_terminatesTheProgram_with76() {
        try (Cli cli = start("trap 'echo stopped; exit 3' TERM; echo held; read line", "--lease", "900ms")) {
            redis.command("DEL", KEY);
            Cli.Result result = cli.result();
            assertThat(result.code()).isEqualTo(76);
            assertThat(result.out()).isEqualTo("held\nstopped\n");
            assertThat(result.err())
                    .hasLineCount(1)
                    .startsWith("holdfast: lock 'precious' was lost: ")
                    .contains("the command is being stopped");
        }
    }

    @Test
    void loss_ofAProgramThatIgnoresTerm_killsItAndItsDescendants() {
        try (Cli cli =
                start("trap '' TERM; sleep 100 & echo held $!.; read line", "--lease", "900ms", "--grace", "200ms")) {
            long descendant = Long.parseLong(cli.awaitOut("held ([0-9]+)\\."));
            redis.command("DEL", KEY);
            assertThat(cli.result().code()).isEqualTo(76);
            assertThat(Signals.isAlive(descendant)).isFalse();
        }
    }

    @Test
    void loss_ofTheStore_terminatesTheProgram_with76() {
        try (Cli cli = start("echo held; exec sleep 100", "--lease", "900ms")) {
            redis.kill9();
            assertThat(cli.result().code()).isEqualTo(76);
        }
    }

    @Test
    void loss_withWarn_letsTheProgramGoOn_andPassesItsCodeOn() {
        try (Cli cli = start("echo held; read line; echo done; exit 5", "--lease", "900ms", "--on-loss=warn")) {
            redis.command("DEL", KEY);
            cli.awaitErr("precious' was lost: .*running on without it");
            assertThat(cli.isRunning()).isTrue();
            cli.send("go");
            Cli.Result result = cli.result();
            assertThat(result.code()).isEqualTo(5);
            assertThat(result.out()).isEqualTo("held\ndone\n");
            assertThat(result.err()).hasLineCount(1);
        }
    }

    @Test
    void loss_foundAtTheRelease_is76() {
        try (Cli cli = start("echo held; read line")) {
            redis.command("DEL", KEY);
            cli.send("go");
            Cli.Result result = cli.result();
            assertThat(result.code()).isEqualTo(76);
            assertThat(result.err()).hasLineCount(1).contains("was lost", "the command has ended with 0");
        }
    }

    @Test
    void loss_toAnotherOwner_leavesThatOneAlone() {
        try (Cli cli = start("echo held; exec sleep 100", "--lease", "900ms")) {
            redis.command("SET", KEY, "somebody", "PX", "60000");
            assertThat(cli.result().code()).isEqualTo(76);
            await().until(() -> "somebody".equals(redis.command("GET", KEY)));
        }
    }
}
