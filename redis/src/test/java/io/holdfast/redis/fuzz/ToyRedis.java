package io.holdfast.redis.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** As much of a Redis as a lock needs to see, in a map. Answers in bytes of RESP. */
final class ToyRedis {
    private final Map<String, String> locks = new HashMap<>();
    private final Map<String, Long> tokens = new HashMap<>();
    private long lastToken = 1_000;

    synchronized byte[] answer(List<String> command) {
        return switch (command.get(0).toUpperCase(java.util.Locale.ROOT)) {
            case "PING", "AUTH", "SELECT", "CLIENT" -> bytes("+PONG\r\n");
            case "HELLO" -> bytes("*2\r\n$7\r\nversion\r\n$5\r\n7.4.0\r\n");
            case "INFO" -> bulk("run_id:abc\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n");
            case "TIME" -> bytes("*2\r\n" + bulkText(now() / 1_000_000) + bulkText(now() % 1_000_000));
            case "EVAL", "EVALSHA" -> script(command);
            case "SCAN" -> bytes("*2\r\n$1\r\n0\r\n*0\r\n");
            case "SUBSCRIBE" -> bytes("*3\r\n$9\r\nsubscribe\r\n" + bulkText(command.get(1)) + ":1\r\n");
            default -> bytes("-ERR unknown command\r\n");
        };
    }

    private byte[] script(List<String> command) {
        int keys = Integer.parseInt(command.get(2));
        List<String> args = command.subList(3 + keys, command.size());
        String lock = command.get(3);
        if (args.get(0).equals("A")) {
            return acquire(lock, args);
        }
        if (args.get(0).equals("R")) {
            boolean held = locks.remove(lock, args.get(1));
            return bytes("*2\r\n:" + (held ? 1 : 0) + "\r\n:" + now() + "\r\n");
        }
        return renew(command.subList(3, 3 + keys), args);
    }

    private byte[] renew(List<String> keys, List<String> args) {
        int all = Integer.parseInt(args.get(0));
        int renewed = 0;
        StringBuilder others = new StringBuilder();
        for (int i = 0; i < all; i++) {
            if (args.get(1 + i).equals(locks.get(keys.get(i)))) {
                renewed++;
            } else {
                others.append(":").append(i + 1).append("\r\n:0\r\n");
            }
        }
        return bytes("*" + (1 + 2 * (all - renewed)) + "\r\n:" + renewed + "\r\n" + others);
    }

    private byte[] acquire(String lock, List<String> args) {
        if (now() > Long.parseLong(args.get(3))) {
            return bytes("*3\r\n:4\r\n:" + now() + "\r\n:0\r\n");
        }
        String holder = locks.putIfAbsent(lock, args.get(1));
        if (holder == null) {
            tokens.put(lock, ++lastToken);
        } else if (!holder.equals(args.get(1))) {
            boolean waits = args.size() < 5 || !args.get(4).equals("0");
            return bytes(
                    waits
                            ? "*6\r\n:2\r\n:" + now() + "\r\n:0\r\n:100\r\n:0\r\n:0\r\n"
                            : "*3\r\n:3\r\n:" + now() + "\r\n:0\r\n");
        }
        return bytes("*5\r\n:1\r\n:" + now() + "\r\n:0\r\n:" + tokens.get(lock) + "\r\n:1\r\n");
    }

    private static long now() {
        return System.currentTimeMillis() * 1_000;
    }

    private static String bulkText(Object value) {
        return "$" + value.toString().length() + "\r\n" + value + "\r\n";
    }

    private static byte[] bulk(String text) {
        return bytes(bulkText(text));
    }

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }
}
