package io.holdfast.benchmarks.contenders;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** A lock written by hand on Lettuce, on the one connection that its authors recommend to share. */
final class LettuceContender implements Contender {
    @Override
    public String name() {
        return "lettuce";
    }

    @Override
    public String description() {
        return Contenders.jarOf(RedisClient.class) + ", SET NX PX on one connection" + HandWritten.DESCRIPTION;
    }

    @Override
    public List<String> artifacts() {
        return List.of("io.lettuce:lettuce-core");
    }

    @Override
    public Session open(String host, int port) {
        RedisClient client = RedisClient.create("redis://" + host + ":" + port);
        StatefulRedisConnection<String, String> connection = client.connect();
        RedisCommands<String, String> commands = connection.sync();
        String release = commands.scriptLoad(HandWritten.RELEASE);
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new Shared(commands, release, name);
            }

            @Override
            public void close() {
                connection.close();
                client.shutdown();
            }
        };
    }

    private static final class Shared extends HandWritten {
        private final RedisCommands<String, String> commands;
        private final String release;
        private final SetArgs args = SetArgs.Builder.nx().px(LEASE_MILLIS);

        Shared(RedisCommands<String, String> commands, String release, String name) {
            super(name);
            this.commands = commands;
            this.release = release;
        }

        @Override
        boolean set(String name, String token) {
            return "OK".equals(commands.set(name, token, args));
        }

        @Override
        long delete(String name, String token) {
            Long deleted = commands.evalsha(release, ScriptOutputType.INTEGER, new String[] {name}, token);
            return deleted == null ? 0 : deleted;
        }
    }
}
