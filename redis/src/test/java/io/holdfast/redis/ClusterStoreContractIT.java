package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contract on a cluster. */
class ClusterStoreContractIT extends RedisContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final StoreEvents DEAF = new StoreEvents() {
        @Override
        public void wake(String name, String owner) {}

        @Override
        public void wakeAll() {}

        @Override
        public void gone(String name, String owner, String detail) {}
    };

    private static ClusterControl redis;

    @BeforeAll
    static void start() {
        redis = new ClusterControl();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        return redis.store();
    }

    @Override
    protected StoreControl control() {
        return redis;
    }

    /** The lock and the tickets of those to whom it was passed on are in one slot. */
    @Test
    void endOfARow_isOneCommand() {
        RedisServer home = redis.home("a");
        try (Platform platform = Platform.system();
                LockStore store = redis.store().open(new StoreContext("c1", Scripts.PREFIX, TIMEOUT, platform, DEAF))) {
            for (int i = 1; i <= 4; i++) {
                AcquireReply reply = join(store.acquire(new AcquireRequest("a", "c1:" + i + ":x", LEASE, true)));
                assertThat(reply instanceof AcquireReply.Queued).isEqualTo(i > 1);
            }
            home.command("CONFIG", "RESETSTAT");

            assertThat(join(store.release("a", "c1:1:x", List.of("c1:2:x", "c1:3:x", "c1:4:x"))))
                    .isEqualTo(ReleaseReply.RELEASED);

            assertThat(home.commandStats()).containsEntry("evalsha", 1L).doesNotContainKeys("eval", "publish");
            assertThat(join(store.inspect("a"))).isEmpty();
        }
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
