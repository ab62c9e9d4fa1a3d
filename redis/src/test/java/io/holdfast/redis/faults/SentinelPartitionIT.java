package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Lease;
import io.holdfast.servers.PrivateNetwork;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The network breaks between Sentinels, and the client reaches all of them. */
class SentinelPartitionIT {
    private static final Duration LEASE = ofSeconds(30);

    /** Whoever subscribes to a Sentinel is a client of ours. */
    private static boolean isListenedTo(RedisServer sentinel) {
        return String.valueOf(sentinel.command("CLIENT", "LIST")).contains(" sub=1 ");
    }

    @Test
    @Faults({24, 25, 38})
    void sentinelThatIsCutOffWithTheOldMaster_isNotTheOnlyOneThatIsAsked() {
        assumeTrue(PrivateNetwork.whyNot().isEmpty(), PrivateNetwork.whyNot());
        try (PrivateNetwork network = PrivateNetwork.create();
                RedisSentinels sentinels = RedisSentinels.start(network);
                Client client = Client.of(sentinels.uri(), builder -> builder.commandTimeout(ofSeconds(10)))) {
            client.connected();
            Lease held = client.take("held", LEASE);
            RedisServer before = sentinels.master();
            sentinels.awaitReplicated();
            until("it listens", () -> sentinels.sentinels().stream().anyMatch(SentinelPartitionIT::isListenedTo));
            RedisServer listenedTo = sentinels.sentinels().stream()
                    .filter(SentinelPartitionIT::isListenedTo)
                    .findFirst()
                    .orElseThrow();

            List<RedisServer> others = new ArrayList<>(sentinels.servers());
            others.addAll(sentinels.sentinels());
            others.removeAll(List.of(before, listenedTo));
            for (RedisServer other : others) {
                network.separate(before.host(), other.host());
                network.separate(listenedTo.host(), other.host());
            }
            until("the others have another master", () -> sentinels.master() != before);
            RedisServer after = sentinels.master();

            // The old one answers, and so does the Sentinel that was cut off with it, which knows nothing.
            int[] asked = {0};
            until("it goes to the new one", () -> {
                Lease lease = client.take("b" + asked[0]++, LEASE);
                boolean there = after.command("GET", Rig.key(lease.lockName())) != null;
                lease.release();
                return there;
            });
            assertThat(before.command("PING")).isEqualTo("PONG");
            assertThat(isListenedTo(listenedTo))
                    .as("nothing was wrong with its connection")
                    .isTrue();
            assertThat(held.release()).as("it was on the new one too").isTrue();
        }
    }
}
