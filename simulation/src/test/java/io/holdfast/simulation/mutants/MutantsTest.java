package io.holdfast.simulation.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table of planted bugs, which {@code ./simulation/run mutants} writes, is true. */
class MutantsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern ROW = Pattern.compile("\\| (.*) \\| \\w+ \\| (\\d+) \\| (\\w+) \\|");

    /** Each takes a second or two: some of them do for every build, and all are planted by {@code -Dmutants.every=1}. */
    private static final int EVERY = Integer.getInteger("mutants.every", 3);

    private static Map<String, Long> table() throws IOException {
        Map<String, Long> seeds = new LinkedHashMap<>();
        for (String line : Files.readAllLines(ROOT.resolve(MutantsCommand.TABLE))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                seeds.put(row.group(1), Long.parseLong(row.group(2)));
            }
        }
        return seeds;
    }

    @Test
    void table_listsEveryPlantedBug_foundWithin10000Seeds() throws IOException {
        assertThat(table()).hasSizeGreaterThanOrEqualTo(20);
        assertThat(table().keySet())
                .containsExactlyElementsOf(
                        Mutants.ALL.stream().map(Mutant::name).toList());
        assertThat(table().values()).allMatch(seed -> seed >= 1 && seed <= 10_000);
    }

    @Test
    void everyPlantedBug_fits() throws IOException {
        for (Mutant mutant : Mutants.ALL) {
            Map<String, String> sources = new HashMap<>();
            for (Mutant.Edit edit : mutant.edits()) {
                String source = sources.get(edit.file());
                sources.put(
                        edit.file(), edit.apply(source == null ? Files.readString(ROOT.resolve(edit.file())) : source));
            }
            assertThat(sources).as(mutant.name()).isNotEmpty();
        }
    }

    @Test
    @Timeout(300)
    void everyPlantedBug_isFoundByItsSeed() throws IOException {
        Map<String, Long> seeds = table();
        List<Mutant> planted = IntStream.range(0, Mutants.ALL.size())
                .filter(i -> i % EVERY == 0)
                .mapToObj(Mutants.ALL::get)
                .toList();
        List<String> escaped = planted.parallelStream()
                .filter(mutant -> {
                    long seed = seeds.getOrDefault(mutant.name(), 1L);
                    return Hunt.hunt(ROOT, mutant, seed, 1, 1).seed() != seed;
                })
                .map(mutant -> mutant.name() + " by seed " + seeds.get(mutant.name()))
                .toList();

        assertThat(escaped)
                .as("no longer found as the table says; run ./simulation/run mutants and commit what it writes")
                .isEmpty();
    }

    @Test
    void bugThatNoLongerFits_isReported() {
        Mutant stale = Mutant.of(
                "stale", new Mutant.Edit("core/src/main/java/io/holdfast/internal/Engine.java", "no such text", ""));

        assertThatIllegalStateException()
                .isThrownBy(() -> Hunt.hunt(ROOT, stale, 1, 1, 1))
                .withMessageContaining("must be adapted");
    }

    @Test
    void failure_isShrunk_andFailsInTheSameWay() {
        // Where it comes from does not matter: any bug that takes many steps will do.
        Mutant mutant = Mutants.ALL.get(0);
        Hunt.Trophy trophy = Hunt.hunt(ROOT, mutant, 1, 200, 1);

        assertThat(Hunt.shrunk(ROOT, mutant, trophy.seed()))
                .matches("failed in the same way, \\d+ of \\d+ calls")
                .satisfies(text -> {
                    List<Integer> calls = Pattern.compile("\\d+")
                            .matcher(text)
                            .results()
                            .map(found -> Integer.parseInt(found.group()))
                            .toList();
                    assertThat(calls.get(0)).isLessThan(calls.get(1));
                });
    }
}
