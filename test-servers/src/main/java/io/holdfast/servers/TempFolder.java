package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Folders that are deleted by their user, or at the latest when this JVM ends (see {@link OsProcess}). */
final class TempFolder {
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private TempFolder() {}

    static Path create(String what) {
        try {
            Path folder = Files.createTempDirectory("holdfast-" + what + "-");
            OPEN.add(folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("could not make a temp folder for a " + what, e);
        }
    }

    static void deleteAll() {
        OPEN.forEach(TempFolder::delete);
    }

    /** Deletes as much as it can: a server that is still writing must not fail the test that has passed. */
    static void delete(Path folder) {
        OPEN.remove(folder);
        List<Path> content;
        try (Stream<Path> files = Files.walk(folder)) {
            content = files.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | UncheckedIOException e) {
            return;
        }
        for (Path file : content) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                return;
            }
        }
    }
}
