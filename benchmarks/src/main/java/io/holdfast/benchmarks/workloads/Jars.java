package io.holdfast.benchmarks.workloads;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What some artifacts need to run, by the tree of dependencies that the build has left next to the jars. */
record Jars(List<Path> files) {
    private static final String NAME = "([\\w.-]+)";
    private static final Pattern LINE =
            Pattern.compile("([|+\\\\ -]*)\\(?" + NAME + ":" + NAME + ":jar:" + NAME + ":[a-z]+\\b.*");

    /** Those artifacts and all they need. */
    static Jars of(List<String> artifacts) {
        Path lib = ownClasses().resolveSibling("lib");
        try {
            return of(artifacts, Files.readAllLines(lib.resolve("tree.txt")), lib);
        } catch (IOException e) {
            throw new UncheckedIOException("no tree of dependencies: run 'mvn package' first", e);
        }
    }

    /** A line of the tree is three characters further to the right than the one that needs it. */
    static Jars of(List<String> artifacts, List<String> tree, Path lib) {
        Map<String, Path> files = new HashMap<>();
        Map<String, Set<String>> needs = new HashMap<>();
        List<String> above = new ArrayList<>();
        for (String line : tree) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                continue; // the first one, which is this module
            }
            String artifact = matcher.group(2) + ":" + matcher.group(3);
            files.put(artifact, lib.resolve(matcher.group(3) + "-" + matcher.group(4) + ".jar"));
            above.subList(Math.min(above.size(), matcher.group(1).length() / 3 - 1), above.size())
                    .clear();
            above.forEach(user ->
                    needs.computeIfAbsent(user, any -> new LinkedHashSet<>()).add(artifact));
            above.add(artifact);
        }
        Set<String> wanted = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(artifacts);
        while (!open.isEmpty()) {
            String artifact = open.remove();
            if (wanted.add(artifact)) {
                open.addAll(needs.getOrDefault(artifact, Set.of()));
            }
        }
        return new Jars(wanted.stream().map(artifact -> file(files, artifact)).toList());
    }

    private static Path file(Map<String, Path> files, String artifact) {
        Path file = files.get(artifact);
        if (file == null) {
            throw new IllegalStateException("the tree of dependencies has no " + artifact);
        }
        return file;
    }

    String classPath() {
        return files.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    double megabytes() {
        return files.stream().mapToLong(file -> file.toFile().length()).sum() / 1e6;
    }

    /** Where the classes of this module are: a folder, or the jar beside it. */
    static Path ownClasses() {
        try {
            return Path.of(Jars.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("cannot tell where our own classes are", e);
        }
    }
}
