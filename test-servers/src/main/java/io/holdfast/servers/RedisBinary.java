package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/** Unpacks the server programs that the embedded-redis jars carry as resources. */
final class RedisBinary {
    private static final Object EXTRACTION = new Object();

    private RedisBinary() {}

    /** The program of that version for this machine, unpacked once per user. */
    static Path of(RedisServer.Version version) {
        String name = resourceName(version, operatingSystem(), architecture());
        URL resource = RedisBinary.class.getClassLoader().getResource(name);
        if (resource == null) {
            throw new IllegalStateException("no Redis " + version + " for this machine: resource " + name
                    + " is in none of the embedded-redis jars on the class path");
        }
        synchronized (EXTRACTION) {
            try {
                return extract(resource, folder().resolve(name));
            } catch (IOException e) {
                throw new UncheckedIOException("could not unpack " + resource + " into the temp folder", e);
            }
        }
    }

    private static Path extract(URL resource, Path target) throws IOException {
        long size = resource.openConnection().getContentLengthLong();
        if (Files.exists(target) && Files.size(target) == size) {
            return target;
        }
        // Other JVMs may do the same right now: whoever moves last wins, and nobody ever sees half a file.
        Path partial = Files.createTempFile(target.getParent(), "partial-", ".tmp");
        try (InputStream in = resource.openStream()) {
            Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwx------"));
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
            return target;
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private static Path folder() throws IOException {
        Path folder = Path.of(
                System.getProperty("java.io.tmpdir"), "holdfast-servers-" + System.getProperty("user.name", "unknown"));
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return folder;
    }

    private static String resourceName(RedisServer.Version version, String os, String arch) {
        String release = switch (version) {
            case V7_0 -> "7.0.15";
            // The file says 6.2.6, the program in it says 6.2.11.
            case V6_2 -> os.equals("linux") && arch.equals("arm64") ? "6.2.7" : "6.2.6-v5";
        };
        return "redis-server-" + release + "-" + os + "-" + arch;
    }

    private static String operatingSystem() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (name.startsWith("linux")) {
            return "linux";
        }
        if (name.startsWith("mac")) {
            return "darwin";
        }
        throw new IllegalStateException("the test servers run on Linux and macOS, not on " + name);
    }

    private static String architecture() {
        String name = System.getProperty("os.arch", "");
        return switch (name) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> throw new IllegalStateException("the test servers run on amd64 and arm64, not on " + name);
        };
    }
}
