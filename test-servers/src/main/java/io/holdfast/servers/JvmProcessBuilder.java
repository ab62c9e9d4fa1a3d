package io.holdfast.servers;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Options of a {@link JvmProcess}. By default: a small heap, the fast compiler only, the class path of this JVM. */
public final class JvmProcessBuilder {
    private final String main;
    private final String classPath;
    private final List<String> options = new ArrayList<>(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"));
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private NetworkHost host = NetworkHost.LOOPBACK;
    private boolean movableClock;

    JvmProcessBuilder(String main, String classPath) {
        this.main = main;
        this.classPath = classPath;
    }

    /** Options of the JVM, such as {@code -Dname=value}; a later one wins. */
    public JvmProcessBuilder options(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    public JvmProcessBuilder arguments(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    public JvmProcessBuilder environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Runs there, and sees the network as it is seen from there. */
    public JvmProcessBuilder host(NetworkHost where) {
        this.host = where;
        return this;
    }

    /** Has a wall clock of its own, for {@link JvmProcess#setClock}. */
    public JvmProcessBuilder movableClock() {
        this.movableClock = true;
        return this;
    }

    public JvmProcess start() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(main);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(host.run(command)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        MovableClock clock = movableClock ? new MovableClock() : null;
        if (clock != null) {
            builder.environment().putAll(clock.environment());
        }
        return new JvmProcess(main.substring(main.lastIndexOf('.') + 1), OsProcess.start(builder), clock);
    }

    /** What this JVM runs with, modules included: the child runs all of it from its class path. */
    static String ownClassPath() {
        Set<String> entries = new LinkedHashSet<>();
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator)));
        }
        entries.remove("");
        return String.join(File.pathSeparator, entries);
    }
}
