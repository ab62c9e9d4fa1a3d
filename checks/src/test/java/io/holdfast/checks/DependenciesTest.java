package io.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
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
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/**
 * What an application gets along with each of our modules stands in docs/dependencies.md, by name, version and licence. The
 * build writes what it has found there, and fails if that is news: a new one is a decision, and the commit shows it.
 */
class DependenciesTest {
    private static final Path DOCUMENT = Repo.ROOT.resolve("docs/dependencies.md");
    private static final String BEGIN = "<!-- dependencies: begin -->";
    private static final String END = "<!-- dependencies: end -->";

    /** As their poms name them. No other is to reach an application by way of us without a word. */
    private static final Set<String> LICENCES = Set.of(
            "Apache-2.0",
            "Apache 2.0",
            "Apache License, Version 2.0",
            "The Apache License, Version 2.0",
            "The Apache Software License, Version 2.0",
            "The Apache Software License, version 2.0",
            "MIT",
            "BSD Licence 3",
            "Public Domain",
            "Public Domain, per Creative Commons CC0 or BSD-2-Clause",
            "Eclipse Public License v2.0",
            "EPL-2.0 or LGPL-2.1-only",
            "EPL 2.0 or GPL2 w/ CPE");

    /** One line of a tree. */
    private static final Pattern LINE =
            Pattern.compile("[ |+\\\\-]*([^:\\s]+):([^:]+):[^:]+:(?:[^:]+:)?([^:]+):([a-z]+)( \\(optional\\))?.*");

    private record Artifact(String group, String name, String version) {
        @Override
        public String toString() {
            return group + ":" + name;
        }
    }

    @Test
    void whatComesWithEachModule_isWhatWasDecided() throws Exception {
        Map<String, List<Artifact>> found = new TreeMap<>();
        for (String module : publishedModules()) {
            found.put(module, runtime(Repo.ROOT.resolve(module).resolve("target/dependencies.txt")));
        }
        assertThat(found).as("modules").hasSizeGreaterThan(7);
        assertThat(found.get("core")).extracting(Artifact::toString).containsExactly("org.slf4j:slf4j-api");

        Set<String> unknown = new TreeSet<>();
        StringBuilder table = new StringBuilder("| module | brings | version | licence |\n|---|---|---|---|\n");
        for (Map.Entry<String, List<Artifact>> module : found.entrySet()) {
            for (Artifact artifact : module.getValue()) {
                String licence = licence(artifact.group(), artifact.name(), artifact.version());
                if (!LICENCES.contains(licence)) {
                    unknown.add(artifact + ": " + licence);
                }
                table.append("| ").append(module.getKey());
                table.append(" | ").append(artifact);
                table.append(" | ").append(artifact.version());
                table.append(" | ").append(licence).append(" |\n");
            }
        }
        assertThat(unknown).as("licences that nobody has agreed to").isEmpty();
        compare(table.toString());
    }

    private static void compare(String table) throws IOException {
        String document = Repo.read(DOCUMENT);
        String written = document.substring(0, document.indexOf(BEGIN) + BEGIN.length()) + "\n\n" + table + "\n"
                + document.substring(document.indexOf(END));
        if (!written.equals(document) && System.getenv("CI") == null) {
            Files.writeString(DOCUMENT, written);
        }
        assertThat(document)
                .as("docs/dependencies.md, which has been written anew: commit it if that is what you want")
                .isEqualTo(written);
    }

    private static List<String> publishedModules() throws Exception {
        List<String> published = new ArrayList<>();
        Element bom = xml(Repo.read(Repo.ROOT.resolve("bom/pom.xml")));
        NodeList names = bom.getElementsByTagName("artifactId");
        for (int i = 0; i < names.getLength(); i++) {
            String name = names.item(i).getTextContent();
            if (name.startsWith("holdfast-") && !name.equals("holdfast-bom")) {
                published.add(name.substring("holdfast-".length()));
            }
        }
        return published;
    }

    /** Without what is ours, and what comes along only if an application has it anyway, which Maven calls optional. */
    private static List<Artifact> runtime(Path tree) {
        List<Artifact> artifacts = new ArrayList<>();
        for (String line : Repo.read(tree).lines().skip(1).toList()) {
            Matcher parts = LINE.matcher(line);
            assertThat(parts.matches()).as(line).isTrue();
            boolean comesAlong =
                    parts.group(5) == null && Set.of("compile", "runtime").contains(parts.group(4));
            if (comesAlong && !parts.group(1).equals("io.holdfast")) {
                assertThat(parts.group(3)).as(line).doesNotContain("SNAPSHOT");
                artifacts.add(new Artifact(parts.group(1), parts.group(2), parts.group(3)));
            }
        }
        return artifacts.stream()
                .distinct()
                .sorted((one, other) -> one.toString().compareTo(other.toString()))
                .toList();
    }

    /** By its own pom, or that of its parent, as they lie in the local repository. */
    private static String licence(String group, String name, String version) throws Exception {
        Path pom = Path.of(
                        System.getProperty("holdfast.test.repository"),
                        group.replace('.', '/').split("/", -1))
                .resolve(name)
                .resolve(version)
                .resolve(name + "-" + version + ".pom");
        Element project = xml(Repo.read(pom));
        Element licences = child(project, "licenses");
        if (licences != null) {
            List<String> names = new ArrayList<>();
            NodeList all = licences.getElementsByTagName("license");
            for (int i = 0; i < all.getLength(); i++) {
                names.add(text((Element) all.item(i), "name"));
            }
            return String.join(" or ", names);
        }
        Element parent = child(project, "parent");
        return parent == null
                ? "unknown"
                : licence(text(parent, "groupId"), text(parent, "artifactId"), text(parent, "version"));
    }

    // --- versions

    @Test
    void everyVersion_isOneVersion() throws Exception {
        List<String> loose = new ArrayList<>();
        int seen = 0;
        for (Path pom : Repo.files(Repo.ROOT, "pom.xml")) {
            Element project = xml(Repo.read(pom));
            for (String version : versions(project)) {
                seen++;
                boolean ours = version.equals(System.getProperty("holdfast.test.version"));
                if (!ours && isLoose(version)) {
                    loose.add(Repo.ROOT.relativize(pom) + ": " + version);
                }
            }
        }
        assertThat(loose).as("ranges, snapshots and whatever is newest").isEmpty();
        assertThat(seen).as("versions").isGreaterThan(50);
    }

    @Test
    void aVersionThatMayChange_isFound() throws Exception {
        Element project = xml("<project><properties><a.version>[1,2)</a.version></properties><dependencies><dependency>"
                + "<version>LATEST</version></dependency></dependencies><build><plugins><plugin>"
                + "<version>1.0-SNAPSHOT</version></plugin></plugins></build></project>");
        assertThat(versions(project)).hasSize(3).allMatch(DependenciesTest::isLoose);
        assertThat(isLoose("7.5.3") || isLoose("${jedis.version}") || isLoose("2.103.0"))
                .isFalse();
    }

    private static boolean isLoose(String version) {
        return !version.matches("\\$\\{[A-Za-z0-9.-]+}")
                && (!version.matches("[0-9][A-Za-z0-9._-]*") || version.endsWith("SNAPSHOT"));
    }

    private static List<String> versions(Element project) {
        List<String> versions = new ArrayList<>();
        for (String owner : List.of("dependency", "additionalClasspathDependency", "plugin", "parent", "extension")) {
            NodeList all = project.getElementsByTagName(owner);
            for (int i = 0; i < all.getLength(); i++) {
                Element version = child((Element) all.item(i), "version");
                if (version != null) {
                    versions.add(version.getTextContent().strip());
                }
            }
        }
        Element properties = child(project, "properties");
        NodeList all = properties == null ? project.getElementsByTagName("none") : properties.getChildNodes();
        for (int i = 0; i < all.getLength(); i++) {
            if (all.item(i) instanceof Element property && property.getTagName().endsWith(".version")) {
                versions.add(property.getTextContent().strip());
            }
        }
        return versions;
    }

    // --- XML

    private static Element xml(String text) throws IOException, ParserConfigurationException, SAXException {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder()
                .parse(new InputSource(new StringReader(text)))
                .getDocumentElement();
    }

    private static @Nullable Element child(Element of, String name) {
        for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                return element;
            }
        }
        return null;
    }

    private static String text(Element of, String name) {
        Element found = child(of, name);
        return found == null ? "unknown" : found.getTextContent().strip();
    }
}
