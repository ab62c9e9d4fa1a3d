package io.holdfast.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** The server program that the embedded-redis jar carries as a resource. */
final class RedisProgram {
    private static final String VERSION = "7.0.15";

    private RedisProgram() {}

    /** Where it is, or will be, unpacked. */
    static Path in(StateFolder folder) {
        return folder.shared().resolve(resource());
    }

    /** Unpacks it, unless that was done before. */
    static Path unpack(StateFolder folder) throws IOException {
        Path target = in(folder);
        URL resource = RedisProgram.class.getClassLoader().getResource(resource());
        if (resource == null) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "there is no Redis server for this machine in the command (" + resource() + "); name a store with "
                            + StoreChoice.VARIABLE + " or --store");
        }
        if (Files.exists(target)
                && Files.size(target) == resource.openConnection().getContentLengthLong()) {
            return target;
        }
        Path draft = Files.createTempFile(folder.shared(), "draft-", "", StateFolder.PROGRAM);
        try (InputStream in = resource.openStream()) {
            try (var out = Files.newOutputStream(draft)) {
                in.transferTo(out);
            }
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
        return target;
    }

    /** Whether that process runs a program out of this folder, of whatever version; nobody but this user can. */
    static boolean isRunBy(long pid, StateFolder folder) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .map(command -> Path.of(command).getParent())
                .filter(parent -> isSame(parent, folder.shared()))
                .isPresent();
    }

    private static boolean isSame(Path folder, Path other) {
        try {
            return Files.isSameFile(folder, other);
        } catch (IOException e) {
            return false; // one of them is not there
        }
    }

    private static String resource() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch", "");
        return "redis-server-" + VERSION + "-" + (os.startsWith("mac") ? "darwin" : os) + "-"
                + switch (arch) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    case "i386", "x86" -> "386";
                    default -> arch;
                };
    }
}
