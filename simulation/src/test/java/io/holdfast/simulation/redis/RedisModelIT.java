package io.holdfast.simulation.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The model against a real server: the same random commands and scripts, the same replies, the same state.
 *
 * <p>{@code -Dmodel.sequences=10000} for more of them, {@code -Dmodel.seed=7} for others; both for one of them again.
 */
class RedisModelIT {
    static final String INBOX = "~inbox:";

    private static final int SEQUENCES = Integer.getInteger("model.sequences", 150);
    private static final long FIRST_SEED = Long.getLong("model.seed", 1);
    private static final int STEPS = 40;

    private static RedisServer server;
    private static Resp real;
    private static Resp subscriber;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        real = Resp.connect("127.0.0.1", server.port());
        subscriber = Resp.connect("127.0.0.1", server.port());
        subscriber.call("PSUBSCRIBE", INBOX + "*");
    }

    @AfterAll
    static void stop() {
        subscriber.close();
        real.close();
        server.close();
    }

    /** One sequence. */
    private interface Sequence {
        void run(Random random, Twins twins);
    }

    private static void repeat(String title, Sequence sequence) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
            real.call("FLUSHALL");
            real.call("SCRIPT", "FLUSH");
            messages();
            Twins twins = new Twins(real, title + ", -Dmodel.sequences=1 -Dmodel.seed=" + seed);
            try {
                sequence.run(new Random(seed), twins);
                twins.sameState();
            } finally {
                setMood(twins, ServerMood.NORMAL);
            }
            assertThat(messages()).as("published, -Dmodel.seed=%s", seed).isEqualTo(inboxes(twins.published()));
        }
    }

    @Test
    void commands() {
        repeat("commands", (random, twins) -> {
            RandomCommands commands = new RandomCommands(random);
            for (int i = 0; i < STEPS; i++) {
                twins.same(commands.next());
            }
        });
    }

    @Test
    void scripts() {
        repeat("scripts", (random, twins) -> {
            RandomScripts scripts = new RandomScripts(random, new RandomCommands(random));
            for (int i = 0; i < STEPS; i++) {
                twins.same(scripts.next());
            }
        });
    }

    @Test
    void locking() {
        Set<Object> codes = new HashSet<>();
        repeat("locking", (random, twins) -> {
            RandomLocking locking = new RandomLocking(random, twins);
            for (int i = 0; i < STEPS; i++) {
                locking.step();
            }
            codes.addAll(locking.codes());
        });
        if (SEQUENCES > 100) {
            assertThat(codes).as("every answer of acquire was seen").contains(1L, 2L, 3L, 4L, 5L, 6L, 7L);
        }
    }

    @Test
    void moods() {
        repeat("moods", (random, twins) -> {
            RandomCommands commands = new RandomCommands(random);
            RandomScripts scripts = new RandomScripts(random, commands);
            RandomLocking locking = new RandomLocking(random, twins);
            for (int i = 0; i < STEPS; i++) {
                switch (random.nextInt(12)) {
                    case 0 ->
                        setMood(
                                twins,
                                commands.pick(List.of(
                                        ServerMood.NORMAL, ServerMood.NORMAL, ServerMood.OOM, ServerMood.READONLY)));
                    case 1, 2, 3, 4 -> twins.same(commands.next());
                    case 5, 6, 7, 8 -> twins.same(scripts.next());
                    default -> locking.step();
                }
            }
            setMood(twins, ServerMood.NORMAL);
        });
    }

    private static void setMood(Twins twins, ServerMood mood) {
        if (mood == twins.model().mood()) {
            return;
        }
        real.call("CONFIG", "SET", "maxmemory", mood == ServerMood.OOM ? "1" : "0");
        if (mood == ServerMood.READONLY) {
            real.call("REPLICAOF", "127.0.0.1", "1");
        } else {
            real.call("REPLICAOF", "NO", "ONE");
        }
        twins.model().setMood(mood);
    }

    /** What the inboxes got: a PING comes back behind all that was published before it. */
    private static List<String> messages() {
        List<String> messages = new ArrayList<>();
        subscriber.send("PING");
        while (subscriber.read() instanceof List<?> message && message.size() == 4) {
            messages.add(message.get(2) + " " + message.get(3));
        }
        return messages;
    }

    private static List<String> inboxes(List<String> published) {
        return published.stream().filter(message -> message.startsWith(INBOX)).toList();
    }
}
