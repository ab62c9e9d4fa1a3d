package io.holdfast.benchmarks.workloads;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Crew;
import io.holdfast.benchmarks.measure.SharedCounter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Collections;

/** One JVM of {@link SeveralJvms}: does as the lines it reads tell, and ends with its input. */
public final class Child {
    static final String READY = "ready";
    static final String GO = "go";
    static final String COUNT = "count";
    static final String STOP = "stop";

    private Child() {}

    /** Takes contender, host, port, threads, milliseconds of a section and the file of the counter. */
    public static void main(String[] args) throws IOException {
        SharedCounter counter = SharedCounter.inFile(Path.of(args[5]));
        Crew.Duty duty = new Crew.Duty("bench:0", 1, counter, Long.parseLong(args[4]));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        try (Session session = Contenders.named(args[0]).open(args[1], Integer.parseInt(args[2]));
                Crew crew = new Crew(session, Collections.nCopies(Integer.parseInt(args[3]), duty))) {
            System.out.println(READY);
            expect(lines, GO);
            crew.start();
            expect(lines, COUNT);
            crew.count();
            expect(lines, STOP);
            crew.stop();
            System.out.println(ChildResult.of(crew.join()).print());
        }
    }

    private static void expect(BufferedReader lines, String wanted) throws IOException {
        String line = lines.readLine();
        if (!wanted.equals(line)) {
            throw new IllegalStateException("read '" + line + "' instead of '" + wanted + "'");
        }
    }
}
