package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is promised of {@code holdfast locks} and {@code holdfast release}. */
class LocksIT {
    private static RedisServer redis;

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.flushAll();
    }

    private static Cli.Result holdfast(String... arguments) {
        return Cli.holdfast(arguments).with("HOLDFAST_STORE", redis.uri()).run();
    }

    private static Holdfast client() {
        return Holdfast.builder().uri(redis.uri()).application("order service").build();
    }

    @Test
    void locks_areListedWithHolderWhereAndWaiters() throws Exception {
        try (Holdfast locks = client();
                Holdfast other = client();
                Lease lease = locks.lock("order:1").acquire(Duration.ZERO)) {
            redis.command("SET", "distributed_lock:theirs\u001b[31m", "some-uuid", "PX", "60000");
            CompletableFuture<Lease> waiter =
                    other.lock("order:1").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
            await().until(() -> locks.inspect("order:1").get(0).waiters().size() == 1);
            String owner = locks.inspect("order:1").get(0).owner().orElseThrow();

            Cli.Result all = holdfast("locks", "--waiters");

            assertThat(all.code()).as(all.toString()).isZero();
            assertThat(all.err()).isEmpty();
            List<String> lines = all.out().lines().toList();
            assertThat(lines.get(0)).matches("LOCK +OWNER +WHERE +THREAD +SINCE +TOKEN +LEFT +WAITING");
            assertThat(lines).hasSize(4);
            assertThat(all.out())
                    .containsPattern("\norder:1 +" + owner + " +order service \\(process "
                            + ProcessHandle.current().pid() + " on \\S+\\) +[0-9]+ +[0-9]+m?s +" + lease.token()
                            + " +[0-9]+s +1\n  waits +\\S+ +order service .* - +- +-\n")
                    .containsPattern("\ntheirs\\?\\[31m +some-uuid +- +- +- +- +[0-9]+s +0\n")
                    .doesNotContain("\u001b");

            Cli.Result some = holdfast("locks", "--pattern", "order:*");
            assertThat(some.out()).hasLineCount(2).contains(owner);

            Cli.Result few = holdfast("locks", "--limit", "1");
            assertThat(few.out()).hasLineCount(2).contains(owner);
            assertThat(few.err()).contains("1 more are held");

            assertThat(lease.release()).isTrue();
            assertThat(waiter.join().release()).isTrue();
        }
    }

    @Test
    void noLocks_isAnEmptyListAndASentence() {
        Cli.Result result = holdfast("locks");

        assertThat(result).isEqualTo(new Cli.Result(0, "", "holdfast: no lock is held\n"));
        assertThat(redis.keys()).as("left as it was").isEmpty();
    }

    @Test
    void release_takesTheLockFromThatOwnerAlone() throws Exception {
        try (Holdfast locks = client()) {
            Lease lease = locks.lock("order:1").acquire(Duration.ZERO);
            String owner = locks.inspect("order:1").get(0).owner().orElseThrow();

            Cli.Result other = holdfast("release", "order:1", "--owner", "a:1:b", "--force");
            assertThat(other.code()).as(other.toString()).isEqualTo(1);
            assertThat(other.err()).contains("nothing is changed").hasLineCount(1);
            assertThat(lease.isValid()).isTrue();

            Cli.Result timid = holdfast("release", "order:1", "--owner", owner);
            assertThat(timid.code()).isEqualTo(64);
            assertThat(timid.err()).contains("say --force").hasLineCount(1);
            assertThat(locks.inspect("order:1")).hasSize(1);

            Cli.Result forced = holdfast("release", "order:1", "--owner", owner, "--force");
            assertThat(forced.code()).as(forced.toString()).isZero();
            assertThat(forced.err()).contains("released by force").hasLineCount(1);
            assertThat(locks.inspect("order:1")).isEmpty();
            assertThat(lease.release()).isFalse();
        }
    }

    @Test
    void release_ofAnothersLibraryLock_is69_withWhatToDo() {
        redis.command("SET", "distributed_lock:theirs", "some-uuid", "PX", "60000");

        Cli.Result result = holdfast("release", "theirs", "--owner", "some-uuid", "--force");

        assertThat(result.code()).as(result.toString()).isEqualTo(69);
        assertThat(result.err()).contains("no client of this library", "delete the lock's key by hand");
        assertThat(redis.command("GET", "distributed_lock:theirs")).isEqualTo("some-uuid");
    }

    static List<Arguments> wrongUsage() {
        return List.of(
                Arguments.of(List.of("release", "a", "--force"), "--owner"),
                Arguments.of(List.of("release", "~a", "--owner", "x", "--force"), "must not start with '~'"),
                Arguments.of(List.of("locks", "--limit", "0"), "at least 1"),
                Arguments.of(List.of("locks", "--pattern", ""), "--pattern is empty"));
    }

    @ParameterizedTest
    @MethodSource("wrongUsage")
    void wrongUsage_is64_withOneSentence(List<String> arguments, String says) {
        Cli.Result result = Cli.holdfast(arguments.toArray(String[]::new)).run();
        assertThat(result.code()).isEqualTo(64);
        assertThat(result.err()).startsWith("holdfast: ").contains(says).hasLineCount(1);
    }
}
