package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.redis.RedlockStore;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RedisServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.jspecify.annotations.Nullable;

/** Where locks live: a Redis server, and a quorum of five or a ZooKeeper once somebody asks for one. All on the loopback address. */
public final class Servers implements AutoCloseable {
    /** Of all of them. */
    public static final String HOST = "127.0.0.1";

    private static final int IN_QUORUM = 5;

    private final @Nullable Path program;
    private final RedisServer redis;
    private final List<RedisServer> quorum = new ArrayList<>();
    private @Nullable TestingServer zooKeeper;

    private Servers(@Nullable Path program) {
        this.program = program;
        // Room for thousands of clients.
        this.redis = server().config("maxclients", "10000").start();
    }

    /** Starts Redis: the program that comes along. */
    public static Servers start() {
        return start(null);
    }

    /** Starts Redis: that program, if there is one. */
    public static Servers start(@Nullable Path program) {
        return new Servers(program);
    }

    private RedisServerBuilder server() {
        return program == null ? RedisServer.builder() : RedisServer.builder().program(program);
    }

    public RedisServer redis() {
        return redis;
    }

    /** Where that contender connects to. */
    public int port(Contender contender) {
        return switch (contender.home()) {
            case REDIS -> redis.port();
            case QUORUM -> quorum().get(0).port();
            case ZOOKEEPER -> zooKeeper().getPort();
            case HERE -> 0;
        };
    }

    /** The same for those that connect to several. */
    public List<Integer> ports(Contender contender) {
        return contender.home() == Contender.Home.QUORUM
                ? quorum().stream().map(RedisServer::port).toList()
                : List.of(port(contender));
    }

    private synchronized List<RedisServer> quorum() {
        if (quorum.isEmpty()) {
            for (int i = 0; i < IN_QUORUM; i++) {
                quorum.add(server().start());
            }
            // They are new, and need not wait until leases of before are over.
            RedlockStore.on(quorum.stream().map(RedisServer::uri).toArray(String[]::new))
                    .vouch("distributed_lock:");
        }
        return List.copyOf(quorum);
    }

    private synchronized TestingServer zooKeeper() {
        if (zooKeeper == null) {
            // Redis does not wait for its disk either.
            System.setProperty("zookeeper.forceSync", "no");
            try {
                zooKeeper = new TestingServer(true);
            } catch (Exception e) { // all that it declares
                throw new IllegalStateException("could not start a ZooKeeper", e);
            }
        }
        return zooKeeper;
    }

    @Override
    public synchronized void close() {
        redis.close();
        quorum.forEach(RedisServer::close);
        if (zooKeeper != null) {
            try {
                zooKeeper.close();
            } catch (IOException e) {
                throw new UncheckedIOException("could not stop the ZooKeeper", e);
            }
        }
    }
}
