package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The folder in which this user's processes on this machine find each other: {@code $XDG_STATE_HOME/holdfast}, or
 * {@code ~/.local/state/holdfast}, readable by this user alone. Below it each machine has a folder of its own, since
 * homes are shared over the network and with containers, and a server on another loopback address is of no use.
 */
final class StateFolder {
    static final FileAttribute<Set<PosixFilePermission>> FILE = permissions("rw-------");
    static final FileAttribute<Set<PosixFilePermission>> PROGRAM = permissions("rwx------");

    private static final FileAttribute<Set<PosixFilePermission>> FOLDER = permissions("rwx------");

    private final Path shared;
    private final Path own;

    private StateFolder(Path shared, Path own) {
        this.shared = shared;
        this.own = own;
    }

    static StateFolder open(Map<String, String> environment) {
        Path shared = location(environment);
        try {
            Files.createDirectories(shared.getParent());
            create(shared);
            refuseIfNotPrivate(shared);
            Path own = shared.resolve(machine());
            create(own);
            return new StateFolder(shared, own);
        } catch (IOException | UnsupportedOperationException e) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "cannot keep a Redis server of this user in " + shared + " (" + e + "); name a store with "
                            + StoreChoice.VARIABLE + " or --store",
                    e);
        }
    }

    private static Path location(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        // The specification says to ignore a relative path.
        if (state.startsWith("/")) {
            return Path.of(state, "holdfast");
        }
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.startsWith("/") ? home : System.getProperty("user.home", "/"), ".local/state/holdfast");
    }

    private static void create(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, FOLDER);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }

    private static void refuseIfNotPrivate(Path folder) throws IOException {
        long owner = ((Integer) Files.getAttribute(folder, "unix:uid")).longValue();
        if (owner != new UnixSystem().getUid()) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    folder + " belongs to another user: set XDG_STATE_HOME, or name a store with "
                            + StoreChoice.VARIABLE + " or --store");
        }
        Set<PosixFilePermission> allowed = FOLDER.value();
        if (!allowed.containsAll(Files.getPosixFilePermissions(folder))) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    folder + " is open to other users, and the password of a server stands in it: chmod 700 it");
        }
    }

    /** A short name for this machine, or container, that survives reboots. */
    private static String machine() {
        for (String source : new String[] {"/etc/machine-id", "/proc/sys/kernel/hostname"}) {
            try {
                String id = Files.readString(Path.of(source)).strip();
                if (!id.isEmpty()) {
                    // Hashed: the machine's id is not meant to be spread.
                    return UUID.nameUUIDFromBytes(("holdfast " + id).getBytes(UTF_8))
                            .toString()
                            .substring(0, 13);
                }
            } catch (IOException e) {
                // the next source
            }
        }
        return "this-machine";
    }

    /** What all machines share: programs. */
    Path shared() {
        return shared;
    }

    /** What belongs to this machine. */
    Path own(String name) {
        return own.resolve(name);
    }

    Path path() {
        return own;
    }

    /** Replaces the file as a whole, readable by this user alone; nobody ever sees half of it. */
    void write(String name, String text) throws IOException {
        Path draft = Files.createTempFile(own, "draft-", "", FILE);
        try {
            Files.writeString(draft, text);
            Files.move(draft, own(name), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /** Sets the time of the file to now. */
    void touch(String name) throws IOException {
        Path file = own(name);
        if (!Files.exists(file)) {
            try {
                Files.createFile(file, FILE);
            } catch (FileAlreadyExistsException e) {
                // so much the better
            }
        }
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    private static FileAttribute<Set<PosixFilePermission>> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }
}
