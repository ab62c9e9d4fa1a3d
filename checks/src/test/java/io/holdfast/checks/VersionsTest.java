package io.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The bill of materials stands alone, so that its users do not inherit our pins; its version is written twice. */
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
}
