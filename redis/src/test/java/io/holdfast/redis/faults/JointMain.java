package io.holdfast.redis.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * A process that takes several locks again and again, and says so each time. Told to keep them it does not give them back;
 * told to stop it ends.
 *
 * <p>Arguments: the store's URI, the names in the order in which they are given, the lease in ms.
 */
final class JointMain {
    private static final PrintStream OUT = new PrintStream(System.out, true, UTF_8);

    private JointMain() {}

    public static void main(String[] args) throws IOException {
        Duration lease = Duration.ofMillis(Long.parseLong(args[2]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        try (Holdfast locks = Holdfast.builder()
                .uri(args[0])
                .commandTimeout(Duration.ofSeconds(20))
                .build()) {
            DistributedLock all = locks.allOf(Stream.of(args[1].split(","))
                    .map(name -> locks.lock(name, options -> options.lease(lease)))
                    .toList());
            String told = "";
            for (int i = 1; !told.equals("stop"); i++) {
                all.lock();
                told = in.ready() ? in.readLine() : "";
                if (told.equals("keep")) {
                    OUT.println("keeps");
                    told = in.readLine();
                }
                OUT.println((all.unlock() ? "had " : "lost ") + i);
            }
        }
        OUT.println("done");
    }
}
