package io.holdfast.redis.fuzz;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Bad answers of every kind, from one seed. None of them is a grant. */
final class Mangled implements FakeServer.Manner {
    private static final List<String> ERRORS = List.of(
            "ERR",
            "NOSCRIPT No matching script",
            "READONLY",
            "LOADING",
            "BUSY",
            "OOM",
            "MOVED 1 127.0.0.1:1",
            "MOVED",
            "ASK 1",
            "WRONGPASS",
            "",
            "NOAUTH",
            "CLUSTERDOWN",
            "MOVED x y z",
            "MOVED 1 localhost:notaport");
    private static final List<String> GREETINGS = List.of("HELLO", "CLIENT", "AUTH", "SELECT", "INFO", "TIME");
    private static final List<String> NUMBERS = List.of(
            "0",
            "1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
            "-1",
            "-2",
            "4294967297",
            "9223372036854775807",
            "-9223372036854775808",
            "99999999999999999999999",
            "",
            "x",
            "1.5",
            "1800000000000000");

    private final Random random;
    private final boolean slow;
    private final int kind;

    /** @param slow also those that cost the client its time-out */
    Mangled(long seed, boolean slow) {
        this.random = new Random(seed);
        this.slow = slow;
        this.kind = random.nextInt(slow ? 5 : 3);
    }

    @Override
    public synchronized void answer(List<String> command, byte[] good, OutputStream out) throws IOException {
        if (GREETINGS.contains(command.get(0)) && random.nextInt(8) > 0) {
            // Or nothing behind it would ever be reached.
            out.write(good);
            return;
        }
        switch (kind) {
            case 0 -> out.write(ToyRedis.bytes(shape(0)));
            case 1 -> {
                byte[] garbage = new byte[1 + random.nextInt(40)];
                random.nextBytes(garbage);
                out.write(garbage);
                throw new IOException("hang up behind garbage");
            }
            case 2 -> {
                out.write(good, 0, random.nextInt(good.length));
                throw new IOException("hang up amid the reply");
            }
            case 3 -> out.write(good, 0, random.nextInt(good.length));
            default -> {
                for (int i = 0; i < good.length - 1; i++) {
                    out.write(good[i]);
                    out.flush();
                    LockSupport.parkNanos(100_000_000);
                }
            }
        }
    }

    /** Something well-formed of any shape, but for a grant and a renewal. */
    private String shape(int depth) {
        String number = pick(NUMBERS);
        return switch (random.nextInt(depth > 3 ? 6 : slow ? 12 : 11)) {
            case 0 -> "$" + number.length() + "\r\n" + number + "\r\n";
            case 1 -> "+" + number + "\r\n";
            case 2 -> "-" + pick(ERRORS) + "\r\n";
            case 3 -> "$-1\r\n";
            case 4 -> pick(List.of("*-1\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "(12345678901234567890\r\n"));
            case 5 -> ":" + number + "\r\n";
            case 6 -> "*0\r\n";
            case 7 -> ">2\r\n" + shape(depth + 1) + shape(depth + 1);
            case 8 -> "*1\r\n".repeat(2 + random.nextInt(3_000)) + ":1\r\n";
            case 9, 10 -> list(depth);
            default -> "$50000000\r\nabc";
        };
    }

    private String list(int depth) {
        int length = 1 + random.nextInt(6);
        // The first is the code, or how many were renewed: never 1, which would be a grant or a renewal.
        StringBuilder list = new StringBuilder("*" + length + "\r\n");
        String code = pick(NUMBERS.subList(2, NUMBERS.size()));
        list.append(random.nextBoolean() ? ":" + code + "\r\n" : "$" + code.length() + "\r\n" + code + "\r\n");
        for (int i = 1; i < length; i++) {
            list.append(random.nextInt(3) == 0 ? shape(depth + 1) : ":" + pick(NUMBERS) + "\r\n");
        }
        return list.toString();
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    @Override
    public String toString() {
        return "kind " + kind;
    }
}
