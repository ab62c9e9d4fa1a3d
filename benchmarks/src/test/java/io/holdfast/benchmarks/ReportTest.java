package io.holdfast.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.report.Goals;
import io.holdfast.benchmarks.report.Json;
import io.holdfast.benchmarks.report.Results;
import io.holdfast.benchmarks.report.Stats;
import io.holdfast.benchmarks.workloads.OneName;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ReportTest {
    private static final String NUMBER = "(-?\\d+(\\.\\d+)?(E-?\\d+)?|null)";

    private final Results results = new Results();

    @Test
    void median_isTheMiddleOne_orTheMeanOfTwo() {
        assertThat(Stats.median(List.of(3.0, 1.0, 100.0))).isEqualTo(3);
        assertThat(Stats.median(List.of(4.0, 1.0, 2.0, 100.0))).isEqualTo(3);
        assertThat(Stats.median(List.of(7.0))).isEqualTo(7);
    }

    @Test
    void lowerTenth_isTheSmallestButSome() {
        assertThat(Stats.lowerTenth(List.of(9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 900.0)))
                .isEqualTo(2);
        assertThat(Stats.lowerTenth(List.of(4.0, 1.0))).isEqualTo(1);
    }

    @Test
    void lines_haveMedianAndRangeAndRatioOfMedians() {
        results.expect("c16", "holdfast");
        for (double value : new double[] {30, 10, 20}) {
            results.add("c16", "jedis", Map.of(Metric.THROUGHPUT, value));
            results.add("c16", "holdfast", Map.of(Metric.THROUGHPUT, value * 4));
        }

        assertThat(results.lines())
                .containsExactly(
                        new Results.Line("c16", "holdfast", Metric.THROUGHPUT, 80, 40, 120, 1.0),
                        new Results.Line("c16", "jedis", Metric.THROUGHPUT, 20, 10, 30, 0.25));
    }

    @Test
    void lines_ofAnotherPrimitive_haveTheRatioToOursOfItsKind() {
        results.add("i-fair-16", "redisson-fair", Map.of(Metric.THROUGHPUT, 10.0));
        results.add("i-fair-16", "holdfast-fair", Map.of(Metric.THROUGHPUT, 40.0));

        assertThat(results.lines())
                .extracting(Results.Line::contender, Results.Line::ratioToOurs)
                .containsExactly(tuple("redisson-fair", 0.25), tuple("holdfast-fair", 1.0));
    }

    @Test
    void ratio_toNothing_isMissing() {
        assertThat(Stats.ratio(1, 0)).isNull();
        assertThat(Stats.ratio(0, 0)).isNull();
        assertThat(Stats.ratio(1, 3)).isCloseTo(1 / 3.0, within(1e-9));

        results.add("c16", "jedis", Map.of(Metric.THROUGHPUT, 5.0));
        assertThat(results.lines())
                .singleElement()
                .extracting(Results.Line::ratioToOurs)
                .isNull();
    }

    @Test
    void aFailure_andALockThatDidNotExclude_areToldOf() {
        results.add("c16", "jedis", Map.of(Metric.THROUGHPUT, 5.0));
        results.judge("c16", "jedis", Map.of(Metric.LOST_UPDATES, 3.0));
        results.judge("c16", "holdfast", Map.of(Metric.LOST_UPDATES, 0.0));
        results.fail("c16", "redisson", new IllegalStateException("gone"));
        results.fail("c16", "redisson", new IllegalStateException("gone"));

        assertThat(report().text())
                .contains("c16, jedis: DID NOT EXCLUDE, 3 updates went missing")
                .contains("c16, redisson: FAILED")
                .contains("gone");
        assertThat(report().chart()).contains(">5.00 DID NOT EXCLUDE<").contains(">FAILED<");
        assertThat(results.troubles()).hasSize(3);
        assertThat(json()).contains("\"metric\": \"failed rounds\", \"median\": 2.0");
    }

    @Test
    void header_namesThoseWhoTakePart() {
        assertThat(report().text()).contains("RLock with watchdog").doesNotContain("two PINGs");
    }

    @Test
    void json_hasArraysOfFlatObjects() {
        results.add("c\"1\\6", "jedis", Map.of(Metric.THROUGHPUT, 1e-7, Metric.FAIRNESS, Double.NaN));

        String object =
                "\\{\"workload\": \"c\\\\\"1\\\\\\\\6\", \"contender\": \"jedis\", \"metric\": \"[^\"]+\", \"median\": "
                        + NUMBER + ", \"min\": " + NUMBER + ", \"max\": " + NUMBER + ", \"ratioToOurs\": null\\}";
        assertThat(json())
                .matches("\\{\"measurements\": \\[\n  " + object + ",\n  " + object
                        + "\n\\],\n\"goals\": \\[\n  \n\\]\\}\n");
    }

    @Test
    void goals_areInTheTextAndInTheJson() {
        results.add("c16", "holdfast", Map.of(Metric.FAIRNESS, 1.05, Metric.REQUESTS, 0.5));

        assertThat(report().text())
                .containsPattern("reached +c16 +max/min per thread <= 1.1 +1.05")
                .containsPattern("MISSED +c16 +<= 0.03 commands per acquisition +0.50");
        assertThat(json())
                .contains("{\"workload\": \"c16\", \"goal\": \"max/min per thread <= 1.1\","
                        + " \"low\": 1.0, \"high\": 1.1, \"figure\": 1.05, \"reached\": true}");
    }

    @Test
    void lostLeases_areToldOf() {
        results.judge("e10k", "redisson", Map.of(Metric.LOST_LEASES, 7.0));

        assertThat(results.troubles())
                .singleElement()
                .hasToString("e10k, redisson: LOST LEASES, 7 of those it should have renewed");
    }

    private String json() {
        return Json.of(results.lines(), Goals.judge(results));
    }

    @Test
    void chart_isWellFormed_andHasABarForEachContender() throws Exception {
        results.add("c16", "holdfast", Map.of(Metric.THROUGHPUT, 1000.0));
        results.add("c16", "redisson", Map.of(Metric.THROUGHPUT, 1.0));
        results.add("c16", "jedis", Map.of(Metric.THROUGHPUT, 50.0));

        Document svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(report().chart().getBytes(UTF_8)));

        assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(1 + 3);
        assertThat(svg.getDocumentElement().getTextContent())
                .contains("logarithmic")
                .contains("a <machine> & more")
                .contains("prefers-color-scheme: dark");
    }

    private Report report() {
        Plan plan = new Plan(List.of(new OneName(16)), Contenders.quick(), 3, Duration.ofSeconds(1));
        return new Report(plan, results, "a <machine> & more");
    }
}
