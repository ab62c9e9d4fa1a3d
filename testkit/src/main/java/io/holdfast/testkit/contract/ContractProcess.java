package io.holdfast.testkit.contract;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Outcome;
import io.holdfast.testkit.history.Recorder;
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
     * Runs one role: {@code count URI NAME LEASE_MILLIS FILE ID TIMES HISTORY}, {@code hold URI NAME LEASE_MILLIS}
     * or {@code wait URI NAME LEASE_MILLIS}.
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
        try (Recorder recorder = Recorder.toFile(Path.of(args[7]), System::nanoTime)) {
            say("begin");
            for (int i = 1; i <= times && !in.ready(); i++) {
                Recorder.Call acquire = recorder.call(args[5], args[2], Action.ACQUIRE);
                Lease lease = client.lock(args[2]).acquire(PATIENCE);
                acquire.granted(lease.token());
                count(counter, args[5], lease, recorder);
                say("did " + i);
            }
        }
    }

    private static void count(FileCounter counter, String id, Lease lease, Recorder recorder) throws IOException {
        counter.increment(id, lease.token());
        Recorder.Call check = recorder.call(id, lease.lockName(), Action.RENEW, lease.token());
        check.ended(lease.isValid() ? Outcome.DONE : Outcome.LOST);
        Recorder.Call release = recorder.call(id, lease.lockName(), Action.RELEASE, lease.token());
        try {
            lease.close();
            release.ended(Outcome.DONE);
        } catch (LeaseLostException e) {
            release.ended(Outcome.LOST);
            throw e;
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
