package io.holdfast.internal;

import io.holdfast.spi.Origin;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What this process knows about itself. Asks no name server, which might take long to answer. */
public final class Here {
    private static final File LINUX = new File("/proc/sys/kernel/hostname");

    private Here() {}

    /**
     * This process.
     *
     * @param application null: what the JVM was started with
     */
    public static Origin origin(@Nullable String application) {
        String called = application == null ? program(System.getProperty("sun.java.command", "")) : application;
        return new Origin(host(System.getenv()), ProcessHandle.current().pid(), called);
    }

    private static String host(Map<String, String> environment) {
        String own = "";
        if (LINUX.canRead()) {
            try (InputStream in = new FileInputStream(LINUX)) {
                own = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            } catch (IOException e) {
                // Then what the shell or the system says.
            }
        }
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            own = own.isEmpty() ? environment.getOrDefault(variable, "").strip() : own;
        }
        return own.isEmpty() ? "unknown" : Origin.printable(own.replace(' ', '_'));
    }

    /** The class or the jar that was started, without its folder and its package; never its arguments, which may be secret. */
    static String program(String command) {
        String first = command.strip().split("\\s", 2)[0];
        String file = first.substring(Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1);
        String name = file.endsWith(".jar") ? file : file.substring(file.lastIndexOf('.') + 1);
        return name.isEmpty() ? "java" : Origin.printable(name);
    }
}
