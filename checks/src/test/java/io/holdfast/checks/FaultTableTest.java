package io.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Writes into docs/faults.md which tests cover which fault, and fails on a gap. A test says what it covers with the
 * annotation {@code Faults}; what is still to come stands in the document, and only that may be without a test.
 */
class FaultTableTest {
    private static final Path DOCUMENT = Repo.ROOT.resolve("docs/faults.md");
    private static final String BEGIN = "<!-- tests: begin -->";
    private static final String END = "<!-- tests: end -->";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\|");
    private static final Pattern TO_COME = Pattern.compile("(?m)^Still to come: ([0-9, –-]+)");
    private static final Pattern ANNOTATED = Pattern.compile(
            "@Faults\\(\\s*\\{?([0-9,\\s]+)}?\\s*\\)(?:(?!@Faults).)*?\\b(?:void\\s+(\\w+)\\s*\\(|(?:class|interface)\\s+(\\w+))",
            Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:public |abstract |final )*(?:class|interface) (\\w+)");

    @Test
    void everyFaultHasATest_orIsSaidToBeStillToCome() throws IOException {
        String document = Repo.read(DOCUMENT);
        Map<Integer, Set<String>> tests = covered();
        Set<Integer> faults = numbers(document.substring(0, document.indexOf(BEGIN)));
        Set<Integer> toCome = toCome(document);

        String written = document.substring(0, document.indexOf(BEGIN) + BEGIN.length()) + "\n\n" + table(tests) + "\n"
                + document.substring(document.indexOf(END));
        if (!written.equals(document)) {
            assertThat(System.getenv("CI"))
                    .as("docs/faults.md is out of date: run the build once and commit what it writes")
                    .isNull();
            Files.writeString(DOCUMENT, written);
        }

        Set<Integer> gaps = new TreeSet<>(faults);
        gaps.removeAll(tests.keySet());
        gaps.removeAll(toCome);
        assertThat(gaps).as("faults without a test").isEmpty();
        assertThat(toCome).as("said to be still to come, and tested").doesNotContainAnyElementsOf(tests.keySet());
        assertThat(faults)
                .as("numbers that tests name and the catalogue does not know")
                .containsAll(tests.keySet());
    }

    @Test
    void anAnnotationIsRead_withItsMethodOrItsType() {
        Map<Integer, Set<String>> found = new TreeMap<>();
        read("class ATest {\n  @Test\n  @Faults({1, 22})\n  void one_two() {}\n @Faults(3) @Test void x() {} }", found);
        read("@Faults({4})\nclass BTest {\n}", found);
        assertThat(found)
                .containsEntry(1, Set.of("ATest#one_two"))
                .containsEntry(22, Set.of("ATest#one_two"))
                .containsEntry(3, Set.of("ATest#x"))
                .containsEntry(4, Set.of("BTest"));
    }

    private static Map<Integer, Set<String>> covered() {
        Map<Integer, Set<String>> tests = new TreeMap<>();
        List<Path> sources = new ArrayList<>(Repo.files(Repo.ROOT.resolve("testkit/src/main"), ".java"));
        for (Path file : Repo.files(Repo.ROOT, ".java")) {
            String path = Repo.ROOT.relativize(file).toString().replace('\\', '/');
            if (path.contains("src/test/") && !path.startsWith("checks/")) {
                sources.add(file);
            }
        }
        sources.forEach(file -> read(Repo.read(file), tests));
        return tests;
    }

    private static void read(String source, Map<Integer, Set<String>> tests) {
        Matcher type = TYPE.matcher(source);
        if (!type.find()) {
            return;
        }
        // The examples in comments are no tests.
        Matcher annotated = ANNOTATED.matcher(source.replaceAll("(?s)/\\*.*?\\*/", ""));
        while (annotated.find()) {
            String test = annotated.group(2) == null ? annotated.group(3) : type.group(1) + "#" + annotated.group(2);
            for (String number : annotated.group(1).split(",", -1)) {
                if (!number.isBlank()) {
                    tests.computeIfAbsent(Integer.valueOf(number.trim()), any -> new TreeSet<>())
                            .add(test);
                }
            }
        }
    }

    private static String table(Map<Integer, Set<String>> tests) {
        StringBuilder table = new StringBuilder("| # | tests |\n|---|---|\n");
        tests.forEach((fault, names) -> table.append("| ")
                .append(fault)
                .append(" | `")
                .append(String.join("`, `", names))
                .append("` |\n"));
        return table.toString();
    }

    private static Set<Integer> numbers(String document) {
        Set<Integer> numbers = new TreeSet<>();
        Matcher row = ROW.matcher(document);
        while (row.find()) {
            numbers.add(Integer.valueOf(row.group(1)));
        }
        assertThat(numbers).hasSizeGreaterThan(50);
        return numbers;
    }

    private static Set<Integer> toCome(String document) {
        Matcher line = TO_COME.matcher(document);
        assertThat(line.find()).as("the line 'Still to come: …'").isTrue();
        Set<Integer> numbers = new TreeSet<>();
        for (String part : line.group(1).split(",", -1)) {
            String[] ends = part.trim().split("[–-]", -1);
            int from = Integer.parseInt(ends[0].trim());
            int to = ends.length > 1 ? Integer.parseInt(ends[1].trim()) : from;
            for (int number = from; number <= to; number++) {
                numbers.add(number);
            }
        }
        return numbers;
    }
}
