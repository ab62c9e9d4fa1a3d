package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreUri;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

class ConnectionSourceIT {

    /** Jedis flushes what it has buffered when it closes: a command that was taken for unsent was carried out. */
    @Test
    void commandThatWasBuffered_isNotSentWhenItsConnectionIsDropped() {
        RedisServer redis = SharedRedis.empty();
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                Platform platform = Platform.system()) {
            ConnectionSource source =
                    ConnectionSource.to(RedisUri.parse(new StoreUri("redis://127.0.0.1:" + proxy.port())), platform);
            Connection connection = source.open(Duration.ofSeconds(5), socket -> {});
            Connection wire = connection;
            wire.sendCommand(Protocol.Command.SET, "flushed", "1");
            assertThat(wire.getOne()).isNotNull();
            wire.sendCommand(Protocol.Command.SET, "buffered", "1");
            long sent = proxy.requestsSeen();

            source.drop(connection);

            until(() -> proxy.openConnections() == 0);
            assertThat(proxy.requestsSeen()).isEqualTo(sent);
            assertThat(redis.keys()).containsExactly("flushed");
        }
    }
}
