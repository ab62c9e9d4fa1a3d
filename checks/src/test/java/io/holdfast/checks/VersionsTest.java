package io.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What stands without our parent, so that its pins reach nobody, has versions written a second time. */
class VersionsTest {
    @Test
    void theBom_hasTheVersionOfTheBuild_andNamesEveryPublishedModule() {
        String bom = Repo.read(Repo.ROOT.resolve("bom/pom.xml"));
        assertThat(bom).contains("<version>" + System.getProperty("holdfast.test.version") + "</version>");
        for (String artifact :
                List.of("holdfast-core", "holdfast-redis", "holdfast-jdbc", "holdfast-http", "holdfast-testkit")) {
            assertThat(bom).contains("<artifactId>" + artifact + "</artifactId>");
        }
        assertThat(bom).doesNotContain("holdfast-test-servers");
    }

    @Test
    void theFreshProjects_haveTheVersionOfTheBuild_andTheLinesOfBootThatTheStarterIsTestedOn() {
        String parent = Repo.read(Repo.ROOT.resolve("pom.xml"));
        for (int line : new int[] {3, 4}) {
            Matcher boot = Pattern.compile("<spring-boot-" + line + "\\.version>([^<]+)<")
                    .matcher(parent);
            assertThat(boot.find()).isTrue();
            String project =
                    Repo.read(Repo.ROOT.resolve("spring-boot-starter/src/test/projects/boot-" + line + "/pom.xml"));
            assertThat(project)
                    .contains("<version>" + boot.group(1) + "</version>")
                    .contains("<version>" + System.getProperty("holdfast.test.version") + "</version>")
                    .doesNotContain("<parent>");
        }
    }
}
