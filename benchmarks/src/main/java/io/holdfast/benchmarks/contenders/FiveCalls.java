package io.holdfast.benchmarks.contenders;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/**
 * What a lock on several servers cannot do without: a script on each of them to take it, and one to give it back. Sent to all
 * by the thread that wants it, and then read from all; nothing is decided, renewed or fenced.
 */
final class FiveCalls implements Contender {
    private static final String TAKE = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 30000)";
    private static final String GIVE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    @Override
    public Reach reach() {
        return Reach.NONE;
    }

    @Override
    public String name() {
        return "five-calls";
    }

    @Override
    public String description() {
        return Contenders.jarOf(Jedis.class) + ", two bare script calls per cycle to each of five servers, in parallel;"
                + " decides nothing";
    }

    @Override
    public Set<Primitive> primitives() {
        return Set.of(Primitive.QUORUM);
    }

    @Override
    public Home home() {
        return Home.QUORUM;
    }

    @Override
    public Session open(String host, int port) {
        return openAll(host, List.of(port));
    }

    @Override
    public Session openAll(String host, List<Integer> ports) {
        Queue<Jedis> opened = new ConcurrentLinkedQueue<>();
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                List<Jedis> servers = new ArrayList<>();
                String take = "";
                String give = "";
                for (int port : ports) {
                    Jedis server = new Jedis(host, port);
                    opened.add(server);
                    servers.add(server);
                    take = server.scriptLoad(TAKE);
                    give = server.scriptLoad(GIVE);
                }
                return new Calls(servers, name, take, give);
            }

            @Override
            public void close() {
                opened.forEach(Jedis::close);
            }
        };
    }

    private record Calls(List<Jedis> servers, String name, String take, String give) implements BenchLock {
        @Override
        public void lock() {
            call(take, "OK");
        }

        @Override
        public void unlock() {
            call(give, "1");
        }

        private void call(String script, String good) {
            for (Jedis server : servers) {
                Connection wire = server.getConnection();
                wire.sendCommand(Protocol.Command.EVALSHA, script, "1", name, "an-owner-id-as-long-as-ours");
                // Sends what was only put into the buffer.
                wire.getMany(0);
            }
            for (Jedis server : servers) {
                Object reply = server.getConnection().getOne();
                String text = reply instanceof byte[] bytes
                        ? new String(bytes, java.nio.charset.StandardCharsets.US_ASCII)
                        : String.valueOf(reply);
                if (!text.equals(good)) {
                    throw new IllegalStateException("a server answered " + text);
                }
            }
        }
    }
}
