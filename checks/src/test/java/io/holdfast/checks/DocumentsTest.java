package io.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The documents: their code is compiled, their links lead somewhere, the tests they name exist. */
class DocumentsTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)#\\s]+)(#[^)]*)?\\)");
    private static final Pattern TEST_NAME = Pattern.compile("`([A-Z][a-z]\\w*(?:Test|IT|Contract))(?:#(\\w+))?`");

    @Test
    void everyJavaBlock_standsInACompiledExample() {
        List<Path> compiled = new ArrayList<>(Repo.files(Repo.ROOT.resolve("examples/src"), ".java"));
        compiled.addAll(Repo.files(Repo.ROOT.resolve("spring-boot-starter/src/test"), ".java"));
        List<String> sources =
                compiled.stream().map(file -> stripped(Repo.read(file))).toList();
        List<String> missing = new ArrayList<>();
        int blocks = 0;
        for (Path document : Repo.files(Repo.ROOT, ".md")) {
            Matcher block = JAVA_BLOCK.matcher(Repo.read(document));
            while (block.find()) {
                blocks++;
                String code = stripped(block.group(1));
                if (sources.stream().noneMatch(source -> source.contains("\n" + code))) {
                    missing.add(Repo.ROOT.relativize(document) + ":\n" + block.group(1));
                }
            }
        }
        assertThat(missing).as("java blocks that no file of examples contains").isEmpty();
        assertThat(blocks).as("java blocks in the documents").isGreaterThan(3);
    }

    @Test
    void everyLink_leadsToAFile() {
        List<String> broken = new ArrayList<>();
        for (Path document : Repo.files(Repo.ROOT, ".md")) {
            Matcher link = LINK.matcher(Repo.read(document).replaceAll("(?s)```.*?```", ""));
            while (link.find()) {
                String target = link.group(1);
                Path folder = document.getParent();
                boolean web = target.startsWith("http://") || target.startsWith("https://");
                if (!web && folder != null && !Files.exists(folder.resolve(target))) {
                    broken.add(Repo.ROOT.relativize(document) + " -> " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyTestThatADocumentNames_exists() {
        StringBuilder tests = new StringBuilder();
        TreeSet<String> types = new TreeSet<>();
        for (Path file : Repo.files(Repo.ROOT, ".java")) {
            String name = String.valueOf(file.getFileName()).replace(".java", "");
            if (name.endsWith("Test") || name.endsWith("IT") || name.endsWith("Contract")) {
                types.add(name);
                Matcher method = Pattern.compile("void (\\w+)\\(").matcher(Repo.read(file));
                while (method.find()) {
                    tests.append(name).append('#').append(method.group(1)).append('\n');
                }
            }
        }
        List<String> unknown = new ArrayList<>();
        for (Path document : Repo.files(Repo.ROOT, ".md")) {
            Matcher named = TEST_NAME.matcher(Repo.read(document));
            while (named.find()) {
                boolean known = named.group(2) == null
                        ? types.contains(named.group(1))
                        : tests.indexOf(named.group(1) + "#" + named.group(2) + "\n") >= 0;
                if (!known) {
                    unknown.add(Repo.ROOT.relativize(document) + " names " + named.group());
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void everyPromiseInTheGuarantees_pointsToATest() {
        String guarantees = Repo.read(Repo.ROOT.resolve("docs/guarantees.md"));
        List<String> bare = guarantees
                .lines()
                .filter(line -> line.startsWith("| G"))
                .filter(line -> !TEST_NAME.matcher(line).find())
                .toList();
        assertThat(bare).as("promises without a test").isEmpty();
        assertThat(guarantees.lines().filter(line -> line.startsWith("| G")).count())
                .isGreaterThan(10);
    }

    @Test
    void noFile_namesAMachineOrARegistry() {
        Pattern forbidden = Pattern.compile(String.join(
                "|",
                "\\.\\./sha" + "red",
                "/wo" + "rk/",
                "/ro" + "ot/",
                "/usr/lib/jv" + "m",
                "repo1?\\.mav" + "en",
                "maven\\.apa" + "che\\.org/maven2",
                "deb\\.deb" + "ian\\.org",
                "registry\\.npm" + "js"));
        List<String> found = new ArrayList<>();
        for (String ending :
                List.of(".java", ".md", ".xml", ".lua", ".sh", "/run", "/holdfast", ".properties", ".config", ".svg")) {
            for (Path file : Repo.files(Repo.ROOT, ending)) {
                Matcher match = forbidden.matcher(Repo.read(file));
                if (match.find()) {
                    found.add(Repo.ROOT.relativize(file) + ": " + match.group());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /** Without indentation and blank lines. */
    private static String stripped(String code) {
        return code.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("\n", "", "\n"));
    }
}
