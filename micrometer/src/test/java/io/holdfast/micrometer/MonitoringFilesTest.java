package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.HandOver;
import io.holdfast.Hold;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the alert rules and the dashboard ask for is what the meters export. */
class MonitoringFilesTest {
    private static final Pattern NAME = Pattern.compile("holdfast_[a-z_]+");
    private static final Pattern TAG =
            Pattern.compile("(outcome|cause|from|obtained)(?:=~|!~|=|!=)\\\\?\"([^\"\\\\]*)");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @BeforeEach
    void everythingHappensOnce() {
        HoldfastMetrics metrics = HoldfastMetrics.of(registry);
        Hold hold = new Hold("order:1", "owner", 1);
        metrics.waiting("order:1");
        metrics.waited("order:1", Duration.ofMillis(5), true);
        metrics.acquired(hold, Duration.ofMillis(5));
        metrics.handedOver(hold, HandOver.REMOTE);
        metrics.ended("order:1", Outcome.OBTAINED, Duration.ofMillis(5));
        metrics.renewed(hold, Duration.ofSeconds(15));
        metrics.renewalFailed(hold, Duration.ofSeconds(1), new IllegalStateException("down"));
        metrics.released(hold, Duration.ofSeconds(20));
        metrics.acquired(hold, Duration.ZERO);
        metrics.lost(hold, new Loss(Loss.Cause.EXPIRED, "late"));
        metrics.stalled(hold, "waits for itself");
    }

    private Set<String> exported() {
        return registry.scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String file(String name) throws IOException {
        try (InputStream in = HoldfastMetrics.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yaml", "dashboard.json"})
    void everyName_isExported(String file) throws IOException {
        Set<String> asked = NAME.matcher(file(file))
                .results()
                .map(found -> found.group())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(asked).hasSizeGreaterThanOrEqualTo(5);
        assertThat(exported()).containsAll(asked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yaml", "dashboard.json"})
    void everyValueOfATag_isExported(String file) throws IOException {
        String scrape = registry.scrape();
        Matcher tags = TAG.matcher(file(file));
        while (tags.find()) {
            for (String value : tags.group(2).split("\\|")) {
                assertThat(scrape).contains(tags.group(1) + "=\"" + value + "\"");
            }
        }
    }

    @Test
    void alerts_areThereForEverythingThatWasAskedFor() throws IOException {
        assertThat(file("alerts.yaml"))
                .contains(
                        "HoldfastLeaseLost", "HoldfastRenewalLag", "HoldfastLongWait", "HoldfastHeldLongerThanMaxHold");
    }

    /** The limit of the rule against a renewal that was half a lease late. */
    @Test
    void renewalLag_isExportedAsAPartOfTheLease() {
        assertThat(registry.scrape().lines())
                .anyMatch(line -> line.startsWith("holdfast_renewal_lag_ratio_max{") && line.endsWith(" 0.5"));
    }
}
