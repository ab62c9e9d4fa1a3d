package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockNamesTest {

    @ParameterizedTest
    @CsvSource({
        "order:12345, order:*",
        "shop:order:12345, shop:order:*",
        "user:alice, user:*",
        "tenant7:order:1, *:order:*",
        "nightly-report, nightly-report",
        "report-2026-11-16, report-*-*-*",
        "550e8400-e29b-41d4-a716-446655440000, *-*-*-*-*",
        "a/b/42, a/b/*"
    })
    void id_becomesAStar(String name, String tag) {
        assertThat(LockNames.pattern(name)).isEqualTo(tag);
    }

    @Test
    void tooManyTags_shareOne() {
        LockNames names = new LockNames(name -> name);
        for (int i = 0; i < LockNames.MOST; i++) {
            assertThat(names.tag("n" + i)).isEqualTo("n" + i);
        }
        assertThat(names.tag("one more")).isEqualTo(LockNames.OTHERS);
        assertThat(names.tag("n0")).as("one that was there before").isEqualTo("n0");
    }
}
