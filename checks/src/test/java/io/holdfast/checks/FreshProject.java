package io.holdfast.checks;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** One of the projects in the starter's folder for tests, as the build has left it. */
record FreshProject(int line) {
    /** What comes with the starter and not with Boot itself. */
    private static final List<String> OF_THE_STARTER = List.of(
            "holdfast-", "jedis-", "commons-pool2-", "json-", "gson-", "error_prone_annotations-", "redis-authx-");

    /** What an application has beside the starter. */
    enum Beside {
        NOTHING,
        ACTUATOR,
        TRANSACTIONS
    }

    private Path target() {
        return Repo.ROOT.resolve("spring-boot-starter/src/test/projects/boot-" + line + "/target");
    }

    List<Path> classPath(Beside beside) {
        Set<Path> jars = new LinkedHashSet<>(read("application"));
        if (beside == Beside.ACTUATOR) {
            jars.addAll(read("actuator"));
        } else if (beside == Beside.TRANSACTIONS) {
            jars.addAll(read("all"));
            jars.removeAll(read("actuator"));
        }
        List<Path> classPath = new ArrayList<>(List.of(target().resolve("classes")));
        classPath.addAll(jars);
        return classPath;
    }

    /** Without the starter and all that comes with it. */
    List<Path> classPathWithoutTheStarter() {
        return classPath(Beside.NOTHING).stream()
                .filter(path -> !has(List.of(path), OF_THE_STARTER))
                .toList();
    }

    private List<Path> read(String list) {
        return Stream.of(Repo.read(target().resolve("classpath").resolve(list))
                        .trim()
                        .split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }

    boolean has(List<Path> classPath, List<String> jars) {
        return classPath.stream()
                .anyMatch(path -> jars.stream()
                        .anyMatch(jar -> String.valueOf(path.getFileName()).startsWith(jar)));
    }
}
