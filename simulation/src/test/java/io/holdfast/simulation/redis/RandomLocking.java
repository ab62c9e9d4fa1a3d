package io.holdfast.simulation.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Clients that take, wait for, renew and release one lock, while others meddle with its keys. */
final class RandomLocking {
    private static final String NO_HURRY = "9000000000000000";

    private final Random random;
    private final Twins twins;
    private final List<Object> codes = new ArrayList<>();

    RandomLocking(Random random, Twins twins) {
        this.random = random;
        this.twins = twins;
    }

    /** The first elements of all replies to acquire. */
    List<Object> codes() {
        return codes;
    }

    void step() {
        int dice = random.nextInt(100);
        if (dice < 45) {
            acquire();
        } else if (dice < 70) {
            run(Script.LOCK, lockKeys(), random.nextBoolean() ? List.of("R", owner()) : List.of("R", owner(), "time"));
        } else if (dice < 78) {
            renew();
        } else if (dice < 85) {
            gate();
        } else {
            meddle();
        }
    }

    private void acquire() {
        List<String> args = new ArrayList<>(List.of(
                "A",
                owner(),
                lease(),
                random.nextInt(20) == 0 ? "1000" : NO_HURRY,
                random.nextInt(4) == 0 ? "0" : "6000000",
                "2000000",
                pick("1", "1", "64")));
        if (random.nextInt(3) == 0) {
            args.add(owner());
        }
        Object reply = run(Script.LOCK, lockKeys(), args);
        if (reply instanceof List<?> list) {
            codes.add(list.get(0));
        } else if (reply instanceof String) {
            // Granted, with the time as its token.
            codes.add(1L);
        }
    }

    private void renew() {
        List<String> keys = new ArrayList<>();
        int batch = 1 + random.nextInt(3);
        List<String> args = new ArrayList<>(List.of(Integer.toString(batch)));
        for (int i = 0; i < batch; i++) {
            keys.add(random.nextBoolean() ? "lock" : "other");
            args.add(owner());
        }
        boolean shares = random.nextBoolean();
        for (int i = 0; i < batch && shares; i++) {
            keys.add(random.nextInt(3) == 0 ? "nothing" : "holds");
        }
        int leases = random.nextBoolean() ? 1 : batch;
        for (int i = 0; i < leases; i++) {
            args.add(lease());
        }
        run(Script.RENEW, keys, args);
    }

    private void gate() {
        List<String> keys = random.nextBoolean() ? List.of("gate", "data") : List.of("gate");
        String token = pick("9", "10", "100", "9007199254740993", "123456789012345678901");
        run(Script.GATE, keys, List.of(token, "8000000", "v" + token));
    }

    private void meddle() {
        switch (random.nextInt(9)) {
            case 0, 1 -> twins.same("DEL", "lock");
            case 2, 3 -> twins.same("HSET", "tickets", owner(), pick("1000 2000 1", "garbage"));
            case 4 -> twins.same("SET", "lock", "somebody", "PX", "5000000");
            case 5 -> twins.same("SET", "lock", "forever");
            case 6 -> twins.same("SET", "~fence", pick("abc", "9007199254740990", "9007199254740991", "5", "-1"));
            case 7 -> {
                twins.same("DEL", "lock", "~fence");
                twins.same("LPUSH", pick("lock", "other"), "x");
            }
            default -> manyDead();
        }
    }

    /** More than one run clears away. */
    private void manyDead() {
        List<String> line = new ArrayList<>(List.of("ZADD", "queue"));
        for (int i = 0; i < 70; i++) {
            line.addAll(List.of(Integer.toString(i), "dead:1:" + i));
        }
        twins.same(line.toArray(String[]::new));
    }

    private @Nullable Object run(Script script, List<String> keys, List<String> args) {
        List<String> command = new ArrayList<>();
        boolean bySha = random.nextBoolean();
        command.add(bySha ? "EVALSHA" : "EVAL");
        command.add(bySha ? new String(script.sha(), US_ASCII) : new String(script.text(), UTF_8));
        command.add(Integer.toString(keys.size()));
        command.addAll(keys);
        command.addAll(args);
        return twins.sameWithTime(command.toArray(String[]::new));
    }

    private static List<String> lockKeys() {
        return List.of("lock", "queue", "tickets", "~fence");
    }

    private String owner() {
        return "c" + random.nextInt(4) + ":1:" + random.nextInt(2);
    }

    private String lease() {
        return pick("1000000", "3000000", "5000000");
    }

    private String pick(String... words) {
        return words[random.nextInt(words.length)];
    }
}
