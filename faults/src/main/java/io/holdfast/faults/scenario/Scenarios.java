package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** All scenarios, one after the other, each with Holdfast and with Redisson; and the table of what was seen. */
public final class Scenarios {
    private Scenarios() {}

    private static List<Scenario<?>> all() {
        return List.of(
                new Churn(1, Duration.ofSeconds(10), Duration.ofSeconds(1)),
                new Churn(8, Duration.ofSeconds(10), Duration.ofSeconds(1)),
                new LostReply(Topology.SINGLE, 5),
                new LostReply(Topology.SENTINEL, 5),
                new LostReply(Topology.CLUSTER, 5),
                new DeadWaiters(20, Duration.ofSeconds(40)),
                new Tokens(Tokens.Fault.FLUSHED, 5),
                new Tokens(Tokens.Fault.RESTARTED, 3),
                new LossSignal(LossSignal.Fault.DELETED, 3),
                new LossSignal(LossSignal.Fault.RESTARTED, 3),
                new LostWakeUp(3, Duration.ofSeconds(10)));
    }

    /** Plays them; the table is one of Markdown. */
    public static String table(Consumer<String> out) throws Exception {
        StringBuilder table =
                new StringBuilder("| scenario | what is counted | Holdfast | Redisson |\n|---|---|---|---|\n");
        for (Scenario<?> scenario : all()) {
            List<String> cells = cells(scenario, out);
            List<String> rivals = cells.subList(1, cells.size());
            table.append("| ")
                    .append(String.join(
                            " | ", scenario.title(), scenario.counted(), cells.get(0), String.join("<br>", rivals)))
                    .append(" |\n");
        }
        return table.toString();
    }

    /** Holdfast's cell, and those of the others. */
    private static List<String> cells(Scenario<?> scenario, Consumer<String> out) throws InterruptedException {
        List<String> names = new ArrayList<>(List.of("holdfast"));
        names.addAll(scenario.rivals());
        List<Bench.Hand> hands = new ArrayList<>();
        List<Future<String>> plays = new ArrayList<>();
        List<String> cells = new ArrayList<>();
        for (String name : names) {
            Bench.Hand hand = new Bench.Hand("scenario-" + name);
            hands.add(hand);
            Future<String> play = hand.begin(() -> cell(scenario, Contenders.named(name), out));
            if (!scenario.isPatient()) {
                Bench.Hand.result(play);
            }
            plays.add(play);
        }
        for (Future<String> play : plays) {
            cells.add(Bench.Hand.result(play));
        }
        hands.forEach(Bench.Hand::close);
        return cells;
    }

    private static String cell(Scenario<?> scenario, Contender contender, Consumer<String> out) throws Exception {
        String seen = scenario.isExact() && !Moment.isPossible()
                ? "not played: needs Linux"
                : String.valueOf(scenario.play(contender));
        out.accept(contender.name() + ", " + scenario.title() + ": " + seen);
        boolean several =
                !contender.name().equals("holdfast") && scenario.rivals().size() > 1;
        String setting = contender.setting();
        return several ? (setting.isEmpty() ? "as it comes" : setting) + ": " + seen : seen;
    }
}
