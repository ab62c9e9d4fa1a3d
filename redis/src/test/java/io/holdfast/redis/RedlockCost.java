package io.holdfast.redis;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/**
 * What a cycle of lock and unlock over five servers costs, against as many bare script calls, sent to all five and then read
 * from all five by one thread. Rounds of both take turns; the ratio of each round counts, and the median of the ratios.
 */
public final class RedlockCost {
    private static final int ROUNDS = 15;
    private static final int CYCLES = 1_000;

    private static final String TAKE = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 30000)";
    private static final String GIVE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then" + " return redis.call('DEL', KEYS[1]) else return 0 end";

    private RedlockCost() {}

    public static void main(String[] args) throws InterruptedException {
        List<RedisServer> servers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            servers.add(RedisServer.start());
        }
        RedlockServers store =
                RedlockStore.on(servers.stream().map(RedisServer::uri).toArray(String[]::new));
        store.vouch("distributed_lock:");
        List<Jedis> bare = servers.stream()
                .map(server -> new Jedis("127.0.0.1", server.port()))
                .toList();
        String take =
                bare.stream().map(jedis -> jedis.scriptLoad(TAKE)).toList().get(0);
        String give =
                bare.stream().map(jedis -> jedis.scriptLoad(GIVE)).toList().get(0);
        try (Holdfast client = Holdfast.builder().store(store).build()) {
            DistributedLock lock = client.lock("cost");
            double[] ratios = new double[ROUNDS];
            for (int round = -5; round < ROUNDS; round++) {
                long start = System.nanoTime();
                for (int i = 0; i < CYCLES; i++) {
                    lock.lock();
                    lock.unlock();
                }
                long locks = System.nanoTime() - start;
                start = System.nanoTime();
                for (int i = 0; i < CYCLES; i++) {
                    call(bare, take);
                    call(bare, give);
                }
                long scripts = System.nanoTime() - start;
                if (round >= 0) {
                    ratios[round] = (double) locks / scripts;
                }
                System.out.printf(
                        "round %d: lock and unlock %.1f us, two bare calls to five servers %.1f us, ratio %.2f%n",
                        round, locks / 1e3 / CYCLES, scripts / 1e3 / CYCLES, (double) locks / scripts);
            }
            Arrays.sort(ratios);
            System.out.printf("median ratio %.2f%n", ratios[ROUNDS / 2]);
        } finally {
            bare.forEach(Jedis::close);
            servers.forEach(RedisServer::close);
        }
    }

    /** Sends to all, then reads from all. */
    private static void call(List<Jedis> servers, String script) {
        for (Jedis server : servers) {
            Connection wire = server.getConnection();
            wire.sendCommand(
                    Protocol.Command.EVALSHA, script, "1", "distributed_lock:bare", "an-owner-id-as-long-as-ours");
            wire.getMany(0);
        }
        for (Jedis server : servers) {
            server.getConnection().getOne();
        }
    }
}
