package io.holdfast.benchmarks.workloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class JarsTest {
    private static final Path LIB = Path.of("lib");
    private static final List<String> TREE = List.of(
            "us:benchmarks:jar:1",
            "+- our:core:jar:1-SNAPSHOT:compile",
            "|  \\- log:api:jar:2.0:compile (version managed from 1.0)",
            "+- our:redis:jar:1-SNAPSHOT:compile",
            "|  +- (our:core:jar:1-SNAPSHOT:compile - omitted for duplicate)",
            "|  \\- (wire:client:jar:7:compile - version managed from 7; omitted for duplicate)",
            "+- wire:client:jar:7:compile",
            "|  +- deep:pool:jar:3:runtime",
            "|  |  \\- deep:deeper:jar:4:compile",
            "|  \\- side:json:jar:5:compile",
            "\\- other:rival:jar:9:compile");

    @Test
    void of_takesWhatIsNeeded_directlyOrNot_andNothingElse() {
        assertThat(names(List.of("our:redis")))
                .containsExactlyInAnyOrder(
                        "redis-1-SNAPSHOT.jar",
                        "core-1-SNAPSHOT.jar",
                        "api-2.0.jar",
                        "client-7.jar",
                        "pool-3.jar",
                        "deeper-4.jar",
                        "json-5.jar");
        assertThat(names(List.of("our:core", "other:rival")))
                .containsExactlyInAnyOrder("core-1-SNAPSHOT.jar", "api-2.0.jar", "rival-9.jar");
    }

    @Test
    void of_anArtifactThatIsNotThere_isRefused() {
        assertThatThrownBy(() -> names(List.of("no:such"))).hasMessageContaining("no:such");
    }

    private static List<String> names(List<String> artifacts) {
        return Jars.of(artifacts, TREE, LIB).files().stream()
                .map(file -> LIB.relativize(file).toString())
                .toList();
    }
}
