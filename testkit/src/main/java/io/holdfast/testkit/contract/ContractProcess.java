package io.holdfast.testkit.contract;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The other process of the contract's tests. It is started with the class path of the tests, reaches the store by its URI,
 * and tells on its standard output what it does. It ends when told {@code stop}, or when its input does.
 */
public final class ContractProcess {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private ContractProcess() {}

    /**
     * Runs one role: {@code count URI NAME LEASE_MILLIS FILE ID TIMES}, {@code hold URI NAME LEASE_MILLIS} or
     * {@code wait URI NAME LEASE_MILLIS}.
     */
    public static void main(String[] args) throws Exception {
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofMillis(Long.parseLong(args[3])))
                .build();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Holdfast client = Holdfast.builder().uri(args[1]).options(options).build()) {
            switch (args[0]) {
                case "count" -> count(client, args, in);
                case "hold" -> hold(client, args[2], in);
                case "wait" -> {
                    say("waiting");
                    try (Lease lease = client.lock(args[2]).acquire(PATIENCE)) {
                        say("obtained " + lease.token());
                    }
                }
                default -> throw new IllegalArgumentException("no role '" + args[0] + "'");
            }
        }
        say("done");
    }

    private static void count(Holdfast client, String[] args, BufferedReader in)
            throws IOException, InterruptedException {
        FileCounter counter = new FileCounter(Path.of(args[4]));
        int times = Integer.parseInt(args[6]);
        say("begin");
        for (int i = 1; i <= times && !in.ready(); i++) {
            try (Lease lease = client.lock(args[2]).acquire(PATIENCE)) {
                counter.increment(args[5], lease.token());
                say("did " + i);
            }
        }
    }

    private static void hold(Holdfast client, String name, BufferedReader in) throws IOException, InterruptedException {
        Lease lease = client.lock(name).acquire(PATIENCE);
        say("holding " + lease.token());
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
            say("valid " + lease.isValid());
        }
        lease.release();
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
