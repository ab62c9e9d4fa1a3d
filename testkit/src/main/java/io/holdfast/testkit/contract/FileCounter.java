package io.holdfast.testkit.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A count for each process, in one file that only a lock protects: two writers at once lose an update. A kill tears
 * nothing, since the file is replaced as a whole. It also keeps the last writer's token, and refuses an older one.
 */
final class FileCounter {
    private static final String TOKEN = "token";

    private final Path file;

    FileCounter(Path file) {
        this.file = file;
    }

    void increment(String id, long token) throws IOException {
        Properties values = read();
        long newest = Long.parseLong(values.getProperty(TOKEN, "0"));
        if (token <= newest) {
            throw new IllegalStateException("token " + token + " came after " + newest);
        }
        values.setProperty(TOKEN, String.valueOf(token));
        values.setProperty(id, String.valueOf(Integer.parseInt(values.getProperty(id, "0")) + 1));
        Path next = file.resolveSibling(file.getFileName() + "." + id);
        try (var out = Files.newBufferedWriter(next)) {
            values.store(out, null);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** How often each has counted. */
    Map<String, Integer> counts() throws IOException {
        Properties values = read();
        values.remove(TOKEN);
        return values.stringPropertyNames().stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        id -> Integer.valueOf(values.getProperty(id)),
                        Integer::sum,
                        TreeMap::new));
    }

    private Properties read() throws IOException {
        Properties values = new Properties();
        try (var in = Files.newBufferedReader(file)) {
            values.load(in);
        } catch (NoSuchFileException first) {
            // Nobody has counted yet.
        }
        return values;
    }
}
