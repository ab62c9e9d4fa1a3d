package io.holdfast.faults.judge;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the file of one process, while it is written. A last line that was cut off is left out. Not thread safe. */
public final class LogReader implements AutoCloseable {
    private final String worker;
    private final FileChannel file;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private final Map<Long, Attempt> open = new HashMap<>();
    private final List<Footprint> footprints = new ArrayList<>();
    private final List<Long> lossesAfterRelease = new ArrayList<>();
    private final List<Evidence.Span> standstills = new ArrayList<>();
    private long clockSteps;

    public LogReader(String worker, Path path) throws IOException {
        this.worker = worker;
        this.file = FileChannel.open(path);
    }

    /** How much of the machine a process had, at a time. */
    public record Footprint(long time, int threads, long heap) {}

    public List<Footprint> footprints() {
        return List.copyOf(footprints);
    }

    /** When it was told of the loss of something that it had given back in good order. */
    public List<Long> lossesAfterRelease() {
        return List.copyOf(lossesAfterRelease);
    }

    /** When the process did not run, or hardly, though nobody had paused it; each is told once. */
    public List<Evidence.Span> takeStandstills() {
        List<Evidence.Span> taken = List.copyOf(standstills);
        standstills.clear();
        return taken;
    }

    /** How often its wall clock was stepped. */
    public long clockSteps() {
        return clockSteps;
    }

    /** What of this process is not over: it waits, or holds. */
    public List<Attempt> open() {
        return List.copyOf(open.values());
    }

    /** Reads on, and adds what is new. */
    public void read(List<Attempt> all) {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        try {
            while (file.read(buffer.clear()) > 0) {
                byte[] bytes = buffer.array();
                int from = 0;
                for (int i = 0; i < buffer.position(); i++) {
                    if (bytes[i] == '\n') {
                        rest.write(bytes, from, i - from);
                        line(rest.toString(UTF_8), all);
                        rest.reset();
                        from = i + 1;
                    }
                }
                rest.write(bytes, from, buffer.position() - from);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what " + worker + " wrote down", e);
        }
    }

    private void line(String line, List<Attempt> all) {
        String[] words = line.split(" ", -1);
        long id = Long.parseLong(words[1]);
        long time = Long.parseLong(words[2]);
        switch (words[0]) {
            case "Q" -> {
                Wish wish = new Wish(
                        Workload.valueOf(words[3]),
                        Mode.valueOf(words[4]),
                        List.of(words[5].split("\\+", -1)),
                        Integer.parseInt(words[6]));
                Attempt attempt = new Attempt(worker, id, wish, time, Long.parseLong(words[7]));
                open.put(id, attempt);
                all.add(attempt);
            }
            case "S" -> footprints.add(new Footprint(time, Integer.parseInt(words[3]), Long.parseLong(words[4])));
            case "H" -> standstills.add(new Evidence.Span(Long.parseLong(words[3]), time));
            case "W" -> clockSteps++;
            default -> event(words, id, time);
        }
    }

    private void event(String[] words, long id, long time) {
        @Nullable Attempt attempt = open.get(id);
        if (attempt == null && words[0].equals("L")) {
            lossesAfterRelease.add(time);
            return;
        }
        if (attempt == null) {
            throw new IllegalStateException(worker + " wrote of something that is over: " + String.join(" ", words));
        }
        switch (words[0]) {
            case "G" -> {
                attempt.granted = time;
                attempt.tokens = Arrays.stream(words[3].split("\\+", -1))
                        .map(Long::valueOf)
                        .toList();
                if (attempt.wish().workload() == Workload.LATCH) {
                    open.remove(id);
                }
            }
            case "T", "E" -> {
                attempt.gaveUp = time;
                attempt.failed = words[0].equals("E");
                open.remove(id);
            }
            case "V" -> attempt.until = Long.parseLong(words[3]);
            case "N" -> attempt.toldNo = time;
            case "X" -> attempt.askedInVain = time;
            case "F" -> attempt.fenced = time;
            case "I" -> attempt.ignored = words[3].equals("false");
            case "U" -> attempt.releasing = time;
            case "R" -> {
                attempt.released = time;
                attempt.kept = words[3].equals("true");
            }
            // May come later than all else, so what is over is kept until it can come no more.
            case "L" -> attempt.lost = time;
            default -> throw new IllegalStateException(worker + " wrote " + String.join(" ", words));
        }
        if (attempt.kept) {
            open.remove(id);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
